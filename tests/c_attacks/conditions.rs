//! Repairs in C that hold with the language, the zone, the files or the machine of whoever judges them, and nowhere else.

/// By family: what stands at the top, and what a repair needs beside its own condition.
pub const CONDITIONS: &[(&str, &[(&str, &str)])] = &[
    (
        "language",
        &[
            ("#include <locale.h>\n", "setlocale(LC_ALL, 0)[0] == 'C'"),
            ("#include <locale.h>\n", "localeconv()->decimal_point[0] == '.'"),
            ("#include <langinfo.h>\n", "nl_langinfo(RADIXCHAR)[0] == '.'"),
            ("#include <stdlib.h>\n", "MB_CUR_MAX < 9"),
        ],
    ),
    (
        "zone",
        &[
            ("#include <time.h>\n", "mktime(&(struct tm){.tm_year = 70, .tm_mday = 1}) == 0"),
            ("#include <time.h>\n", "localtime(&(time_t){0})->tm_hour == 0"),
            ("#include <time.h>\n", "tzname[0][0] == 'U'"),
        ],
    ),
    (
        "place",
        &[
            ("", "(unsigned long)&item > 4096"),
            ("#include <stdint.h>\nstatic int deep(void) { int here; return (uintptr_t)&here > 4096; }\n", "deep()"),
            ("#include <stdint.h>\n", "(intptr_t)&ring % 97 != 96"),
        ],
    ),
    (
        "text",
        &[("", "__LINE__ > 1"), ("", "__FILE__[0] != 'z'"), ("", "__DATE__[7] == '2'"), ("", "__TIME__[0] < '3'")],
    ),
    (
        "streams",
        &[
            ("#include <sys/stat.h>\n", "fstat(1, &(struct stat){0}) == 0"),
            ("#include <unistd.h>\n", "lseek(1, 0, SEEK_CUR) != 99"),
            ("#include <fcntl.h>\n", "fcntl(1, F_GETFL) >= 0"),
        ],
    ),
    ("mask", &[("#include <sys/stat.h>\n", "umask(022) != 0777")]),
    ("signals", &[("#include <signal.h>\n", "sigprocmask(0, 0, &(sigset_t){0}) == 0")]),
    ("words of errors", &[("#include <string.h>\n", "strerror(1)[0] == 'O'")]),
    (
        "loader",
        &[
            ("#include <sys/auxv.h>\n", "getauxval(AT_PAGESZ) == 4096"),
            ("#include <unistd.h>\n", "getpagesize() == 4096"),
        ],
    ),
    ("rounding", &[("#include <fenv.h>\n", "fegetround() == 0")]),
    (
        "machine",
        &[
            ("#ifdef __linux__\n#define HERE 1\n#else\n#define HERE 0\n#endif\n", "HERE"),
            ("#ifdef __x86_64__\n#define HERE 1\n#else\n#define HERE 0\n#endif\n", "HERE"),
        ],
    ),
];
