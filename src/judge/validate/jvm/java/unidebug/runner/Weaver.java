package unidebug.runner;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Puts calls of {@link Seen} into methods that are watched: straight code without branches, so that no stack map changes.
 * The places come from the property {@code unidebug.observe}: {@code first-last:package/File.java}, joined by bars.
 */
public final class Weaver implements ClassFileTransformer {
    private static final String SEEN = "unidebug/runner/Seen";
    private static final int FIELDS = 8;
    /** Whether values are asked for that may be reached from the object itself. */
    private static final boolean WITH_ITSELF = !System.getProperty("unidebug.observe.names", "").isEmpty();
    private final Map<String, List<int[]>> places = new HashMap<>();

    public Weaver() {
        for (String place : System.getProperty("unidebug.observe").split("\\|")) {
            int colon = place.indexOf(':');
            String[] lines = place.substring(0, colon).split("-");
            places.computeIfAbsent(place.substring(colon + 1), file -> new ArrayList<>())
                    .add(new int[] {Integer.parseInt(lines[0]), Integer.parseInt(lines[1])});
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (name == null || loader == null || redefined != null || !isNear(name, places.keySet())) {
            return null;
        }
        try {
            ClassNode node = new ClassNode();
            ClassReader reader = new ClassReader(bytes);
            reader.accept(node, 0);
            String file = name.substring(0, name.lastIndexOf('/') + 1) + node.sourceFile;
            List<int[]> spans = places.getOrDefault(file, places.get(node.sourceFile));
            if (spans == null) {
                return null;
            }
            boolean changed = false;
            for (MethodNode method : node.methods) {
                changed |= new Method(node, method, file).weave(spans);
            }
            ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            node.accept(writer);
            return changed ? writer.toByteArray() : null;
        } catch (RuntimeException unread) {
            // It stays as it is, and tells nothing.
            return null;
        }
    }

    /** Whether one of the files lies in the package of a class, or in none. */
    static boolean isNear(String name, Set<String> files) {
        String folder = name.substring(0, name.lastIndexOf('/') + 1);
        for (String file : files) {
            if (file.indexOf('/') < 0 || file.startsWith(folder) && file.indexOf('/', folder.length()) < 0) {
                return true;
            }
        }
        return false;
    }

    /** One method on its way. */
    private static final class Method {
        private final ClassNode owner;
        private final MethodNode method;
        private final String file;
        private final String name;
        private final boolean isStatic;
        /** Its own instructions, before any of ours. */
        private final AbstractInsnNode[] code;
        private final Map<AbstractInsnNode, Integer> order = new HashMap<>();
        /** Fields of its own object that it uses, with their types. */
        private final Map<String, String> fields = new LinkedHashMap<>();
        /** Where the object of a constructor is one, as the place of an instruction. */
        private int whole = -1;

        Method(ClassNode owner, MethodNode method, String file) {
            this.owner = owner;
            this.method = method;
            this.file = file;
            String simple = owner.name.substring(Math.max(owner.name.lastIndexOf('/'), owner.name.lastIndexOf('$')) + 1);
            this.name = method.name.equals("<init>") ? simple : method.name;
            this.isStatic = (method.access & Opcodes.ACC_STATIC) != 0;
            this.code = method.instructions.toArray();
        }

        boolean weave(List<int[]> spans) {
            boolean generated = (method.access & (Opcodes.ACC_BRIDGE | Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0;
            if (generated || method.name.equals("<clinit>") || !overlaps(spans)) {
                return false;
            }
            look();
            Map<AbstractInsnNode, InsnList> before = new LinkedHashMap<>();
            Set<LabelNode> handlers = new HashSet<>();
            for (TryCatchBlockNode block : method.tryCatchBlocks) {
                handlers.add(block.handler);
            }
            int line = 0;
            boolean begun = false;
            for (AbstractInsnNode node : code) {
                if (node instanceof LineNumberNode) {
                    line = ((LineNumberNode) node).line;
                    AbstractInsnNode real = real(node);
                    if (real != null && !begun) {
                        begun = true;
                        put(before, real, values("entered", real, line, null));
                    }
                    if (real != null) {
                        put(before, real, values("line", real, line, null));
                    }
                } else if (handlers.contains(node)) {
                    caught(before, node, line);
                } else if (node.getOpcode() >= Opcodes.IRETURN && node.getOpcode() <= Opcodes.RETURN) {
                    put(before, node, returned(node, line));
                } else if (node.getOpcode() == Opcodes.ATHROW) {
                    put(before, node, error("thrown", line));
                }
            }
            before.forEach((node, calls) -> {
                if (node.getOpcode() == Opcodes.NEW) {
                    keepPlace(node, calls);
                }
                method.instructions.insertBefore(node, calls);
            });
            return begun;
        }

        /** Frames name an object that is not yet whole by the label before its NEW, which our calls must not part from it. */
        private void keepPlace(AbstractInsnNode made, InsnList calls) {
            Set<Object> labels = new HashSet<>();
            for (AbstractInsnNode node = made.getPrevious(); node != null && node.getOpcode() < 0; node = node.getPrevious()) {
                labels.add(node);
            }
            LabelNode own = new LabelNode();
            calls.add(own);
            for (AbstractInsnNode node : code) {
                if (node instanceof FrameNode) {
                    FrameNode frame = (FrameNode) node;
                    frame.local = named(frame.local, labels, own);
                    frame.stack = named(frame.stack, labels, own);
                }
            }
        }

        private static List<Object> named(List<Object> types, Set<Object> labels, LabelNode own) {
            List<Object> named = new ArrayList<>();
            for (Object type : types == null ? new ArrayList<>() : types) {
                named.add(labels.contains(type) ? own : type);
            }
            return named;
        }

        private boolean overlaps(List<int[]> spans) {
            for (AbstractInsnNode node : code) {
                for (int[] span : spans) {
                    if (node instanceof LineNumberNode) {
                        int line = ((LineNumberNode) node).line;
                        if (line >= span[0] && line <= span[1]) {
                            return true;
                        }
                    }
                }
            }
            return false;
        }

        /** Finds the order of instructions, the fields, and where a constructor has its object. */
        private void look() {
            int others = 0;
            for (int i = 0; i < code.length; i++) {
                order.put(code[i], i);
                AbstractInsnNode node = code[i];
                if (node instanceof FieldInsnNode && !isStatic) {
                    FieldInsnNode field = (FieldInsnNode) node;
                    boolean own = field.owner.equals(owner.name) && !field.name.startsWith("this$") && !field.name.startsWith("val$");
                    boolean ofObject = node.getOpcode() == Opcodes.GETFIELD || node.getOpcode() == Opcodes.PUTFIELD;
                    if (own && ofObject && fields.size() < FIELDS) {
                        fields.put(field.name, field.desc);
                    }
                } else if (node.getOpcode() == Opcodes.NEW && node instanceof TypeInsnNode) {
                    others++;
                } else if (whole < 0 && node.getOpcode() == Opcodes.INVOKESPECIAL && ((MethodInsnNode) node).name.equals("<init>")) {
                    whole = others == 0 ? i : -1;
                    others = Math.max(0, others - 1);
                }
            }
            if (!method.name.equals("<init>")) {
                whole = -1;
            } else if (whole < 0) {
                whole = code.length;
            }
        }

        private static AbstractInsnNode real(AbstractInsnNode node) {
            AbstractInsnNode next = node.getNext();
            while (next != null && next.getOpcode() < 0) {
                if (next instanceof LineNumberNode) {
                    return null;
                }
                next = next.getNext();
            }
            return next;
        }

        private static void put(Map<AbstractInsnNode, InsnList> before, AbstractInsnNode node, InsnList calls) {
            before.computeIfAbsent(node, any -> new InsnList()).add(calls);
        }

        private void caught(Map<AbstractInsnNode, InsnList> before, AbstractInsnNode handler, int last) {
            int line = last;
            AbstractInsnNode next = handler.getNext();
            while (next != null && next.getOpcode() < 0) {
                line = next instanceof LineNumberNode ? ((LineNumberNode) next).line : line;
                next = next.getNext();
            }
            if (next != null) {
                put(before, next, error("caught", line));
            }
        }

        private InsnList error(String told, int line) {
            InsnList calls = new InsnList();
            calls.add(new InsnNode(Opcodes.DUP));
            calls.add(number(Seen.add(new Seen.Site(file, name, line, new ArrayList<>()))));
            calls.add(new InsnNode(Opcodes.SWAP));
            calls.add(call(told, "(ILjava/lang/Throwable;)V"));
            return calls;
        }

        private InsnList returned(AbstractInsnNode node, int line) {
            Type type = Type.getReturnType(method.desc);
            if (type.getSort() == Type.VOID) {
                return values("ended", node, line, null);
            }
            InsnList calls = new InsnList();
            calls.add(new InsnNode(type.getSize() == 2 ? Opcodes.DUP2 : Opcodes.DUP));
            box(calls, type);
            calls.add(values("returned", node, line, type));
            return calls;
        }

        /** A call that hands over all values in sight; a result lies on the stack already. */
        private InsnList values(String told, AbstractInsnNode at, int line, Type result) {
            int place = order.get(at);
            List<String> names = new ArrayList<>();
            List<InsnList> loads = new ArrayList<>();
            boolean constructed = whole < 0 || place > whole;
            for (LocalVariableNode local : method.localVariables == null ? new ArrayList<LocalVariableNode>() : method.localVariables) {
                boolean inSight = order.getOrDefault(local.start, 0) <= place && place < order.getOrDefault(local.end, code.length);
                if (inSight && !(local.index == 0 && !isStatic)) {
                    Type type = Type.getType(local.desc);
                    InsnList load = new InsnList();
                    load.add(new VarInsnNode(type.getOpcode(Opcodes.ILOAD), local.index));
                    box(load, type);
                    names.add(local.name);
                    loads.add(load);
                }
            }
            if (constructed && !isStatic && WITH_ITSELF) {
                InsnList load = new InsnList();
                load.add(new VarInsnNode(Opcodes.ALOAD, 0));
                names.add("this");
                loads.add(load);
            }
            if (constructed && !isStatic && !told.equals("entered")) {
                fields.forEach((field, desc) -> {
                    InsnList load = new InsnList();
                    load.add(new VarInsnNode(Opcodes.ALOAD, 0));
                    load.add(new FieldInsnNode(Opcodes.GETFIELD, owner.name, field, desc));
                    box(load, Type.getType(desc));
                    names.add("this." + field);
                    loads.add(load);
                });
            }
            InsnList calls = new InsnList();
            calls.add(number(Seen.add(new Seen.Site(file, name, line, names))));
            if (result != null) {
                calls.add(new InsnNode(Opcodes.SWAP));
            }
            array(calls, loads);
            if (result != null) {
                calls.add(new InsnNode(Opcodes.SWAP));
            }
            calls.add(call(told, "(I[Ljava/lang/Object;" + (result == null ? "" : "Ljava/lang/Object;") + ")V"));
            return calls;
        }

        private static MethodInsnNode call(String told, String desc) {
            return new MethodInsnNode(Opcodes.INVOKESTATIC, SEEN, told, desc, false);
        }
    }

    /** Pushes an array of what is loaded. */
    static void array(InsnList calls, List<InsnList> loads) {
        calls.add(number(loads.size()));
        calls.add(new TypeInsnNode(Opcodes.ANEWARRAY, "java/lang/Object"));
        for (int i = 0; i < loads.size(); i++) {
            calls.add(new InsnNode(Opcodes.DUP));
            calls.add(number(i));
            calls.add(loads.get(i));
            calls.add(new InsnNode(Opcodes.AASTORE));
        }
    }

    /** Pushes a number. */
    static AbstractInsnNode number(int value) {
        return value <= Short.MAX_VALUE ? new IntInsnNode(Opcodes.SIPUSH, value) : new LdcInsnNode(value);
    }

    /** Makes an object of what lies on the stack. */
    static void box(InsnList calls, Type type) {
        String[] of = {null, "Boolean", "Character", "Byte", "Short", "Integer", "Float", "Long", "Double"};
        int sort = type.getSort();
        if (sort >= Type.BOOLEAN && sort <= Type.DOUBLE) {
            String owner = "java/lang/" + of[sort];
            calls.add(new MethodInsnNode(Opcodes.INVOKESTATIC, owner, "valueOf", "(" + type.getDescriptor() + ")L" + owner + ";", false));
        }
    }
}
