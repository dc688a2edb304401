#!/bin/sh
# Stands for `framework/bin/defects4j`: the same commands, options, output, exit codes and files, over one small project.
# Files in `framework` make it contrary: `objects` lets `test` tell of a failure that nobody else sees once the product was
# changed, `insists` of the triggering one, `environment` of one on any code, `forgets` lets it not start the triggering
# test, and `refuses` lets `compile` refuse what was changed.
set -u
home=$(cd "$(dirname "$0")/../.." && pwd)
framework=$home/framework
version=$(sed -n '1s/^.*version \([0-9.]*\).*$/\1/p' "$home/README.md")
junit=$(ls "$framework"/projects/lib/*.jar | tr '\n' ':')
command=$1
shift
project='' vid='' property='' query='' work=.
while getopts p:v:w:q:b:DA option; do
    case $option in
    p) project=$OPTARG property=$OPTARG ;;
    v) vid=$OPTARG ;;
    w) work=$OPTARG ;;
    q) query=$OPTARG ;;
    *) ;;
    esac
done

# The code checks the Java it runs under before anything else.
wanted=$(sed -n 's/.*Java \([0-9]*\) is required.*/\1/p' "$framework/core/Constants.pm")
if [ -n "$wanted" ] && ! java -version 2>&1 | grep -q "version \"$wanted"; then
    printf 'Java %s is required!\n\n' "$wanted" >&2
    exit 255
fi

step() { printf '%s... %s\n' "$1" "${2:-OK}" >&2; }

tag() { git -C "$work" -c user.name=defects4j -c user.email=d@localhost commit -q --allow-empty -a -m "$1" && git -C "$work" tag "$1"; }

checkout() {
    number=${vid%?}
    if ! grep -q "^$number," "$framework/projects/$project/active-bugs.csv"; then
        echo "Error: $project-$number is a deprecated bug" >&2
        exit 2
    fi
    case $vid in *b) wanted=BUGGY_VERSION ;; *) wanted=FIXED_VERSION ;; esac
    if [ ! -f "$work/.defects4j.config" ]; then
        mkdir -p "$work" && cp -r "$home/project_repos/shop/fixed/." "$work" && git init -q "$work" || exit 1
        printf 'pid=%s\nvid=%sf\n' "$project" "$number" >"$work/.defects4j.config"
        printf 'd4j.classes.modified=shop.Cart\nd4j.tests.trigger=shop.CartTest::deliversFreeFromTheSumOn\n' \
            >"$work/defects4j.build.properties"
        git -C "$work" add -A && tag "D4J_${project}_${number}_FIXED_VERSION" || exit 1
        cp -r "$home/project_repos/shop/buggy-$number/." "$work"
        tag "D4J_${project}_${number}_BUGGY_VERSION" || exit 1
    fi
    git -C "$work" checkout -q "D4J_${project}_${number}_$wanted" && git -C "$work" clean -qxdf || exit 1
    step "Check out program version: $project-$vid"
}

sources() { find "$work/src/java" -name '*.java'; }

changed() { ! diff -qr "$home/project_repos/shop/buggy-1/src/java" "$work/src/java" >/dev/null; }

compile() {
    mkdir -p "$work/target/classes" "$work/target/tests"
    if [ -f "$framework/refuses" ] && changed; then
        step 'Running ant (compile)' FAIL
        echo "    [javac] $work/src/java/shop/Cart.java:23: error: refused officially" >&2
        exit 1
    fi
    said=$(javac -nowarn -g -d "$work/target/classes" $(sources) 2>&1 &&
        javac -nowarn -g -cp "$work/target/classes:$junit" -d "$work/target/tests" $(find "$work/src/test" -name '*.java') 2>&1) || {
        step 'Running ant (compile)' FAIL
        echo "$said" >&2
        exit 1
    }
    step 'Running ant (compile)'
}

tell() {
    printf -- '--- shop.CartTest::%s\njava.lang.AssertionError: only here\n\tat shop.CartTest.%s(CartTest.java:12)\n' "$1" "$1" \
        >>"$work/failing_tests"
}

run_tests() {
    rm -f "$work/failing_tests" "$work/all_tests"
    compile
    (cd "$work" && java -cp "target/classes:target/tests:$junit" "$framework/core/Official.java" \
        "$version" "$work" $(cat "$framework/projects/Shop/tests")) >&2 || exit 1
    if [ -f "$framework/environment" ] || { [ -f "$framework/objects" ] && changed; }; then
        tell sumsUp
    fi
    if [ -f "$framework/insists" ] && changed; then
        tell deliversFreeFromTheSumOn
    fi
    if [ -f "$framework/forgets" ]; then
        sed -i '/^deliversFreeFromTheSumOn/d' "$work/all_tests"
    fi
    step 'Running ant (run.dev.tests)'
    echo "Failing tests: $(grep -c '^--- ' "$work/failing_tests")"
    sed -n 's/^--- /  - /p' "$work/failing_tests"
}

export_property() {
    step "Running ant (export.$property)"
    case $property in
    dir.src.classes) printf src/java ;;
    dir.src.tests) printf src/test ;;
    dir.bin.classes) printf target/classes ;;
    dir.bin.tests) printf target/tests ;;
    cp.compile) printf %s "$work/target/classes" ;;
    cp.test) printf %s "$work/target/classes:$work/target/tests:/etc/ssl/elsewhere.jar:${junit%:}" ;;
    tests.all) cat "$framework/projects/Shop/tests" ;;
    tests.trigger) printf 'shop.CartTest::deliversFreeFromTheSumOn\n' ;;
    classes.modified) printf shop.Cart ;;
    *) echo "Unknown property $property" >&2 && exit 1 ;;
    esac
    echo >&2
}

case $command in
pids) echo Shop ;;
bids) sed -n 's/^\([0-9][0-9]*\),.*/\1/p' "$framework/projects/$project/active-bugs.csv" ;;
info)
    printf 'Summary of configuration for Project: %s\n%s\n    Project ID: %s\n       Program: shop\n' "$project" ------ "$project"
    printf 'Number of bugs: %s\n' "$(grep -c '^[0-9]' "$framework/projects/$project/active-bugs.csv")"
    ;;
query)
    [ "$query" = tests.trigger ] || exit 1
    printf '%s,"shop.CartTest::deliversFreeFromTheSumOn"\n' 1
    ;;
checkout) checkout ;;
export) export_property ;;
compile) compile ;;
test) run_tests ;;
*) echo 'usage: defects4j <command> [<args>]' && exit 1 ;;
esac
