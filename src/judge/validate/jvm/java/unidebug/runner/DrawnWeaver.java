package unidebug.runner;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Puts calls of {@link Drawn} into the classes of changed files: at the begin of each named method, and at each jump back of
 * every method. It is straight code, so that no stack map changes. The methods come from the property {@code unidebug.draw}:
 * {@code Outer.Inner.method:package/File.java}, joined by bars.
 */
public final class DrawnWeaver implements ClassFileTransformer {
    private static final String DRAWN = "unidebug/runner/Drawn";
    private final Map<String, Set<String>> wanted = new HashMap<>();

    public DrawnWeaver() {
        for (String each : System.getProperty("unidebug.draw").split("\\|")) {
            int colon = each.indexOf(':');
            wanted.computeIfAbsent(each.substring(colon + 1), file -> new HashSet<>()).add(each.substring(0, colon));
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (name == null || loader == null || redefined != null || !Weaver.isNear(name, wanted.keySet())) {
            return null;
        }
        try {
            ClassNode node = new ClassNode();
            new ClassReader(bytes).accept(node, 0);
            String folder = name.substring(0, name.lastIndexOf('/') + 1);
            String file = wanted.containsKey(folder + node.sourceFile) ? folder + node.sourceFile : node.sourceFile;
            // Older classes cannot name themselves as a constant.
            if (!wanted.containsKey(file) || (node.version & 0xffff) < Opcodes.V1_5) {
                return null;
            }
            String type = name.substring(folder.length()).replace('$', '.');
            for (MethodNode method : node.methods) {
                boolean isNew = method.name.equals("<init>");
                String simple = isNew ? type.substring(type.lastIndexOf('.') + 1) : method.name;
                String function = type + "." + simple;
                count(method);
                boolean generated = (method.access & (Opcodes.ACC_BRIDGE | Opcodes.ACC_SYNTHETIC)) != 0;
                boolean isCode = method.instructions.size() > 0 && !method.name.equals("<clinit>");
                if (isCode && !generated && wanted.get(file).contains(function)) {
                    method.instructions.insert(noted(node, method, file, function));
                }
            }
            ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            node.accept(writer);
            return writer.toByteArray();
        } catch (RuntimeException unread) {
            // It stays as it is, and nothing is drawn for it.
            return null;
        }
    }

    /** Counts at each jump back: a drawn call that never ends must end. */
    private static void count(MethodNode method) {
        Map<AbstractInsnNode, Integer> order = new HashMap<>();
        AbstractInsnNode[] code = method.instructions.toArray();
        for (int i = 0; i < code.length; i++) {
            order.put(code[i], i);
        }
        for (int i = 0; i < code.length; i++) {
            if (code[i] instanceof JumpInsnNode && order.get(((JumpInsnNode) code[i]).label) < i) {
                method.instructions.insertBefore(code[i], new MethodInsnNode(Opcodes.INVOKESTATIC, DRAWN, "step", "()V", false));
            }
        }
    }

    /** Hands over the object, but for a constructor, and the arguments. */
    private static InsnList noted(ClassNode owner, MethodNode method, String file, String function) {
        boolean isStatic = (method.access & Opcodes.ACC_STATIC) != 0;
        List<InsnList> loads = new ArrayList<>();
        List<String> names = new ArrayList<>();
        if (!isStatic && !method.name.equals("<init>")) {
            InsnList load = new InsnList();
            load.add(new VarInsnNode(Opcodes.ALOAD, 0));
            loads.add(load);
            names.add("this");
        }
        int slot = isStatic ? 0 : 1;
        for (Type type : Type.getArgumentTypes(method.desc)) {
            InsnList load = new InsnList();
            load.add(new VarInsnNode(type.getOpcode(Opcodes.ILOAD), slot));
            Weaver.box(load, type);
            loads.add(load);
            names.add(nameOf(method, slot));
            slot += type.getSize();
        }
        InsnList calls = new InsnList();
        calls.add(Weaver.number(Drawn.add(new Drawn.Site(file, function, method.name, method.desc, names))));
        calls.add(new LdcInsnNode(Type.getObjectType(owner.name)));
        Weaver.array(calls, loads);
        calls.add(new MethodInsnNode(Opcodes.INVOKESTATIC, DRAWN, "called", "(ILjava/lang/Class;[Ljava/lang/Object;)V", false));
        return calls;
    }

    private static String nameOf(MethodNode method, int slot) {
        if (method.localVariables != null) {
            for (LocalVariableNode local : method.localVariables) {
                if (local.index == slot && local.start == first(method, local)) {
                    return local.name;
                }
            }
        }
        return "arg" + slot;
    }

    /** The first label, where arguments begin; other variables may use their slots later. */
    private static Object first(MethodNode method, LocalVariableNode local) {
        for (AbstractInsnNode node = method.instructions.getFirst(); node != null; node = node.getNext()) {
            if (node == local.start) {
                return node;
            }
            if (node.getOpcode() >= 0) {
                return null;
            }
        }
        return null;
    }
}
