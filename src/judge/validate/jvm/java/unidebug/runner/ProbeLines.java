package unidebug.runner;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jacoco.core.internal.flow.ClassProbesAdapter;
import org.jacoco.core.internal.flow.ClassProbesVisitor;
import org.jacoco.core.internal.flow.IFrame;
import org.jacoco.core.internal.flow.LabelInfo;
import org.jacoco.core.internal.flow.MethodProbesVisitor;
import org.jacoco.core.internal.instr.InstrSupport;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * Which lines of a class ran if one of JaCoCo's probes was passed, found once for the class. JaCoCo's own analysis reads the
 * whole class for every set of probes, and tests of a large class have many of those.
 */
final class ProbeLines extends ClassProbesVisitor {
    private final List<BitSet> lines = new ArrayList<>();
    private String folder = "";
    private String superName = "";
    private String source;
    private boolean isMade;

    private ProbeLines() {}

    static ProbeLines of(byte[] classFile) {
        ProbeLines all = new ProbeLines();
        InstrSupport.classReaderFor(classFile).accept(new ClassProbesAdapter(all, false), 0);
        return all;
    }

    /** {@code package/File.java} and the lines that ran, or nothing when none did. */
    String told(boolean[] probes) {
        BitSet ran = new BitSet();
        for (int id = 0; id < probes.length && id < lines.size(); id++) {
            if (probes[id] && lines.get(id) != null) {
                ran.or(lines.get(id));
            }
        }
        if (source == null || ran.isEmpty()) {
            return "";
        }
        StringBuilder told = new StringBuilder(folder).append(source);
        ran.stream().forEach(line -> told.append(' ').append(line));
        return told.toString();
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        folder = name.substring(0, name.lastIndexOf('/') + 1);
        this.superName = superName;
        isMade = (access & Opcodes.ACC_SYNTHETIC) != 0;
    }

    @Override
    public void visitSource(String source, String debug) {
        this.source = source;
    }

    @Override
    public MethodProbesVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
        boolean made = (access & Opcodes.ACC_SYNTHETIC) != 0 && !name.startsWith("lambda$");
        boolean ofEnum = "java/lang/Enum".equals(superName)
                && (name.equals("values") && descriptor.startsWith("()") || name.equals("valueOf"));
        return isMade || made || ofEnum ? null : new MethodLines();
    }

    @Override
    public void visitTotalProbeCount(int count) {}

    private void passed(int probe, Instruction last) {
        while (lines.size() <= probe) {
            lines.add(null);
        }
        BitSet ran = lines.get(probe);
        if (ran == null) {
            ran = new BitSet();
            lines.set(probe, ran);
        }
        for (Instruction each = last; each != null; each = each.before) {
            if (each.line >= 0) {
                ran.set(each.line);
            }
        }
    }

    /** An instruction, and the one that always runs before it. */
    private static final class Instruction {
        final int line;
        Instruction before;

        Instruction(int line) {
            this.line = line;
        }
    }

    /** The instructions of a method. What a probe tells is known when all jumps are. */
    private final class MethodLines extends MethodProbesVisitor {
        private final List<Label> labels = new ArrayList<>();
        private final Map<Label, Instruction> at = new HashMap<>();
        private final List<Object[]> jumps = new ArrayList<>();
        private final Map<Integer, List<Instruction>> probes = new HashMap<>();
        private int line = -1;
        private Instruction current;

        @Override
        public void accept(MethodNode method, MethodVisitor probed) {
            for (TryCatchBlockNode block : method.tryCatchBlocks) {
                block.accept(probed);
            }
            for (AbstractInsnNode node : method.instructions) {
                // What the probes of an instruction tell comes right after it; that of a label before the label.
                if (node.getOpcode() >= 0) {
                    add();
                }
                node.accept(probed);
            }
            tell();
        }

        private void add() {
            Instruction next = new Instruction(line);
            next.before = current;
            for (Label label : labels) {
                at.put(label, next);
            }
            labels.clear();
            current = next;
        }

        private void jump(Label label) {
            jumps.add(new Object[] {current, label});
        }

        private void probe(int id) {
            probes.computeIfAbsent(id, none -> new ArrayList<>()).add(current);
        }

        @Override
        public void visitLabel(Label label) {
            labels.add(label);
            if (!LabelInfo.isSuccessor(label)) {
                current = null;
            }
        }

        @Override
        public void visitLineNumber(int line, Label start) {
            this.line = line;
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            jump(label);
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label other, Label... cases) {
            visitSwitch(other, cases);
        }

        @Override
        public void visitLookupSwitchInsn(Label other, int[] keys, Label[] cases) {
            visitSwitch(other, cases);
        }

        @Override
        public void visitProbe(int id) {
            probe(id);
            current = null;
        }

        @Override
        public void visitJumpInsnWithProbe(int opcode, Label label, int id, IFrame frame) {
            probe(id);
        }

        @Override
        public void visitInsnWithProbe(int opcode, int id) {
            probe(id);
        }

        @Override
        public void visitTableSwitchInsnWithProbes(int min, int max, Label other, Label[] cases, IFrame frame) {
            visitSwitch(other, cases);
        }

        @Override
        public void visitLookupSwitchInsnWithProbes(Label other, int[] keys, Label[] cases, IFrame frame) {
            visitSwitch(other, cases);
        }

        private void visitSwitch(Label other, Label[] cases) {
            target(other);
            for (Label label : cases) {
                target(label);
            }
        }

        private void target(Label label) {
            int id = LabelInfo.getProbeId(label);
            if (id == LabelInfo.NO_PROBE) {
                jump(label);
            } else {
                probe(id);
            }
        }

        private void tell() {
            for (Object[] jump : jumps) {
                Instruction target = at.get((Label) jump[1]);
                if (target != null) {
                    target.before = (Instruction) jump[0];
                }
            }
            probes.forEach((id, all) -> all.forEach(last -> passed(id, last)));
        }
    }
}
