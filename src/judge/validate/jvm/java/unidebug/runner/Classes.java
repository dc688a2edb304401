package unidebug.runner;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;

/** The untouched classes of the subject, in memory; the first folder that has a class wins. */
final class Classes {
    final Path[] folders;
    /** Copies of the resources in those, on the class path of the process. */
    final Path[] copied;
    private final Map<String, byte[]> bytes = new HashMap<>();
    private final Map<String, Path> origin = new HashMap<>();

    Classes(Path[] folders, Path[] copied) throws IOException {
        this.folders = folders;
        this.copied = copied;
        for (Path folder : folders) {
            Files.walkFileTree(folder, new SimpleFileVisitor<Path>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    String inside = folder.relativize(file).toString();
                    if (inside.endsWith(".class")) {
                        String name = inside.substring(0, inside.length() - ".class".length()).replace('/', '.');
                        if (bytes.putIfAbsent(name, Files.readAllBytes(file)) == null) {
                            origin.put(name, folder);
                        }
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        }
    }

    byte[] get(String name) {
        return bytes.get(name);
    }

    /** The folder a class came from; for a new class the last one, which holds the product. */
    Path origin(String name) {
        Path folder = origin.get(name);
        return folder != null ? folder : folders[folders.length - 1];
    }
}
