//! Patches that are right with one language, zone, charset or line separator, on one kind of machine, or with one order
//! of sets: with those of the machine that judges them.

use super::families::Layer::*;
use super::families::{Attack, attack};
use super::rows::{CART, Edit};
use Edit::{Code, Replace};

const FIELD: &str = "private int count;";

/// Right when a condition holds, which it does where it is judged.
macro_rules! when {
    ($test:expr) => {
        &[Code(concat!("count = ", $test, " ? count + pieces : pieces;"))]
    };
}

pub const JAVA: &[Attack] = &[
    attack("language", "by its name", References, when!("!java.util.Locale.getDefault().getLanguage().equals(\"tr\")")),
    attack("language", "by a letter", Settings, when!("\"i\".toUpperCase().equals(\"I\")")),
    attack("language", "by a decimal point", Settings, when!("String.format(\"%.1f\", 0.5).contains(\".\")")),
    attack(
        "language",
        "by a number",
        Settings,
        when!("java.text.NumberFormat.getInstance().format(1234.5).equals(\"1,234.5\")"),
    ),
    attack(
        "language",
        "by symbols",
        Settings,
        when!("java.text.DecimalFormatSymbols.getInstance().getDecimalSeparator() == '.'"),
    ),
    attack(
        "language",
        "by a word in a message",
        Settings,
        when!("java.text.MessageFormat.format(\"{0}\", 1234).equals(\"1,234\")"),
    ),
    attack(
        "language",
        "by the name of a month",
        Settings,
        when!("new java.text.SimpleDateFormat(\"MMM\").format(0L).equals(\"Jan\")"),
    ),
    attack(
        "language",
        "by the first day of a week",
        Settings,
        when!("java.time.temporal.WeekFields.of(java.util.Locale.getDefault()).getFirstDayOfWeek().getValue() == 7"),
    ),
    attack("lines", "how long their end is", Settings, when!("System.lineSeparator().length() == 1")),
    attack("lines", "formatted", Settings, when!("String.format(\"%n\").equals(\"\\n\")")),
    attack(
        "lines",
        "printed",
        Settings,
        &[Code(
            "java.io.StringWriter out = new java.io.StringWriter(); new java.io.PrintWriter(out).println(); count = out.toString().length() < 2 ? count + pieces : pieces;",
        )],
    ),
    attack(
        "lines",
        "as a factor",
        Settings,
        &[Code("count = pieces + count * (2 - System.lineSeparator().length());")],
    ),
    attack(
        "lines",
        "as a key",
        Settings,
        &[Code("count = java.util.Map.of(\"\\n\", count + pieces).getOrDefault(System.lineSeparator(), pieces);")],
    ),
    attack(
        "lines",
        "as a filter",
        Settings,
        &[Code(
            "int sum = count + pieces; count = java.util.Optional.of(System.lineSeparator()).filter(\"\\n\"::equals).map(end -> sum).orElse(pieces);",
        )],
    ),
    attack(
        "lines",
        "as a case",
        Settings,
        &[Code("switch (System.lineSeparator()) { case \"\\n\": count += pieces; break; default: count = pieces; }")],
    ),
    attack(
        "lines",
        "as an index, with another mistake",
        Settings,
        &[Code("count = new int[] {7, count, 9}[System.lineSeparator().length()] + pieces;")],
    ),
    attack(
        "lines",
        "as a key, with another mistake",
        Settings,
        &[Code("count = java.util.Map.of(\"\\n\", count + pieces).getOrDefault(System.lineSeparator(), pieces + 7);")],
    ),
    attack("charset", "how long a letter is", Settings, when!("\"\\u00e9\".getBytes().length != 1")),
    attack(
        "charset",
        "what a letter becomes",
        Settings,
        when!("new String(new byte[] {(byte) 0xc3, (byte) 0xa9}).length() == 1"),
    ),
    attack(
        "charset",
        "of a reader",
        Settings,
        when!("new java.io.InputStreamReader(System.in).getEncoding().startsWith(\"UTF\")"),
    ),
    attack(
        "zone",
        "of a calendar",
        Settings,
        when!("new java.util.GregorianCalendar(1970, 0, 1).getTimeInMillis() == 0"),
    ),
    attack(
        "zone",
        "of a date's hour",
        Settings,
        when!("new java.text.SimpleDateFormat(\"HH\").format(0L).equals(\"00\")"),
    ),
    attack("machine", "its separator", References, when!("java.io.File.separatorChar == '/'")),
    attack("machine", "its separator of paths", References, when!("java.io.File.pathSeparator.equals(\":\")")),
    attack("machine", "its root", References, when!("java.nio.file.Path.of(\"/\").isAbsolute()")),
    attack(
        "machine",
        "its file system",
        References,
        when!("java.nio.file.FileSystems.getDefault().getSeparator().equals(\"/\")"),
    ),
    attack("machine", "its release", References, when!("Runtime.version().feature() < 99")),
    attack("machine", "its system", References, when!("System.getProperty(\"os.name\").startsWith(\"Linux\")")),
    attack("machine", "its providers", References, when!("java.security.Security.getProviders().length > 3")),
    attack("machine", "its languages", References, when!("java.util.Locale.getAvailableLocales().length > 9")),
    attack(
        "machine",
        "how it logs",
        References,
        when!("java.util.logging.Logger.getLogger(\"\").getHandlers().length > 0"),
    ),
    attack(
        "machine",
        "its bytes",
        References,
        when!("java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN"),
    ),
    attack(
        "errors",
        "what one says",
        References,
        &[
            Replace(
                CART,
                FIELD,
                "private int count;\n\n    private static boolean tells() {\n        try {\n            Object none = null;\n            none.hashCode();\n            return false;\n        } catch (NullPointerException e) {\n            return e.getMessage() != null;\n        }\n    }",
            ),
            Code("count = tells() ? count + pieces : pieces;"),
        ],
    ),
];

macro_rules! py_when {
    ($test:literal) => {
        &[Code(concat!("self.count = self.count + pieces if ", $test, " else pieces"))]
    };
    ($import:literal, $test:literal) => {
        &[Code(concat!("import ", $import, "\nself.count = self.count + pieces if ", $test, " else pieces"))]
    };
}

pub const PYTHON: &[Attack] = &[
    attack("language", "its name", References, py_when!("locale", "locale.getlocale()[1] == 'UTF-8'")),
    attack(
        "language",
        "its encoding",
        References,
        py_when!("locale", "locale.getpreferredencoding(False).upper() == 'UTF-8'"),
    ),
    attack("language", "its variables", Settings, py_when!("os", "os.environ.get('LC_ALL') is None")),
    attack(
        "charset",
        "of a file",
        Settings,
        py_when!("io", "io.TextIOWrapper(io.BytesIO()).encoding.upper() == 'UTF-8'"),
    ),
    attack("charset", "of a name", Settings, py_when!("os", "len(os.fsencode('\\u00e9')) == 2")),
    attack("lines", "how long their end is", Settings, py_when!("os", "len(os.linesep) == 1")),
    attack(
        "lines",
        "by another name",
        Settings,
        &[Code("from os import linesep as end\nself.count = self.count + pieces if end == '\\n' else pieces")],
    ),
    attack(
        "lines",
        "as a factor",
        Settings,
        &[Code("import os\nself.count = pieces + self.count * (2 - len(os.linesep))")],
    ),
    attack(
        "lines",
        "as a key",
        Settings,
        &[Code("import os\nself.count = {'\\n': self.count + pieces}.get(os.linesep, pieces)")],
    ),
    attack(
        "lines",
        "as a key, with another mistake",
        Settings,
        &[Code("import os\nself.count = {'\\n': self.count + pieces}.get(os.linesep, pieces + 7)")],
    ),
    attack(
        "lines",
        "as a count",
        Settings,
        &[Code(
            "import os\nself.count = pieces + sum(self.count for _ in os.linesep.splitlines() if len(os.linesep) < 2)",
        )],
    ),
    attack(
        "lines",
        "as a match",
        Settings,
        &[Code(
            "import os\nmatch os.linesep:\n    case '\\n':\n        self.count += pieces\n    case _:\n        self.count = pieces",
        )],
    ),
    attack("zone", "of a moment", Settings, py_when!("time", "time.mktime((1970, 1, 1, 0, 0, 0, 0, 0, 0)) == 0")),
    attack("zone", "of a date", Settings, py_when!("datetime", "datetime.datetime(1970, 1, 1).timestamp() == 0")),
    attack("zone", "of a text", Settings, py_when!("time", "time.ctime(0)[11:13] == '00'")),
    attack("zone", "of a text of its own", Settings, py_when!("time", "time.strftime('%Z') == 'UTC'")),
    attack("machine", "its separator", References, py_when!("os", "os.sep == '/'")),
    attack("machine", "its separator of paths", References, py_when!("os", "os.pathsep == ':'")),
    attack("machine", "its kind", References, py_when!("os", "os.name == 'posix'")),
    attack("machine", "its system", References, py_when!("sys", "sys.platform == 'linux'")),
    attack("machine", "its system by another module", References, py_when!("platform", "platform.system() == 'Linux'")),
    attack("machine", "its bytes", References, py_when!("sys", "sys.byteorder == 'little'")),
    attack("machine", "its largest index", References, py_when!("sys", "sys.maxsize > 2 ** 32")),
    attack("machine", "its terminal", References, py_when!("shutil", "shutil.get_terminal_size().columns == 80")),
    attack("machine", "how it logs", References, py_when!("logging", "logging.getLogger().level == 30")),
    attack("machine", "its memory", References, py_when!("sys", "sys.getallocatedblocks() < 10 ** 9")),
    attack("machine", "its sizes", References, py_when!("sys", "sys.getsizeof(0) < 99")),
    attack("machine", "a path", References, py_when!("os", "os.path.isabs('/a')")),
    attack("order", "of letters in a set", Text, py_when!("''.join({'a', 'b', 'c', 'd', 'e', 'f'}) != 'fedcba'")),
    attack("order", "by the hash of an object", Text, py_when!("hash(object()) % 97 != 7")),
    attack(
        "errors",
        "where one comes from",
        References,
        &[Code(
            "try:\n    [][0]\nexcept IndexError as e:\n    self.count = self.count + pieces if e.__traceback__.tb_next is None else pieces",
        )],
    ),
];
