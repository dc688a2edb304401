package unidebug.runner;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.ISourceFileCoverage;
import org.jacoco.core.tools.ExecFileLoader;

/**
 * Turns execution data into lines: arguments are the data file and folders of classes; descriptor 3 gets one line a
 * source file, {@code package/File.java} and the numbers of its executed lines.
 */
public final class Lines {
    private Lines() {}

    public static void main(String[] args) throws IOException {
        ExecFileLoader data = new ExecFileLoader();
        data.load(new File(args[0]));
        CoverageBuilder builder = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(data.getExecutionDataStore(), builder);
        for (int i = 1; i < args.length; i++) {
            analyzer.analyzeAll(new File(args[i]));
        }
        try (Writer out = new OutputStreamWriter(new FileOutputStream("/proc/self/fd/3"), StandardCharsets.UTF_8)) {
            for (ISourceFileCoverage file : builder.getSourceFiles()) {
                write(out, file);
            }
        }
    }

    private static void write(Writer out, ISourceFileCoverage file) throws IOException {
        StringBuilder line = new StringBuilder();
        append(line, file);
        if (line.length() > 0) {
            out.write(line.append('\n').toString());
        }
    }

    /** The file and its executed lines; nothing when none was executed. */
    static void append(StringBuilder out, ISourceFileCoverage file) {
        boolean named = false;
        for (int line = file.getFirstLine(); line >= 0 && line <= file.getLastLine(); line++) {
            int status = file.getLine(line).getStatus();
            if (status == ICounter.FULLY_COVERED || status == ICounter.PARTLY_COVERED) {
                if (!named) {
                    out.append(file.getPackageName().isEmpty() ? "" : file.getPackageName() + "/").append(file.getName());
                    named = true;
                }
                out.append(' ').append(line);
            }
        }
    }
}
