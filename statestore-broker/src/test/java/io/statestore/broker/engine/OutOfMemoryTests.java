package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.Test;

/** The machine's state after a request has failed for lack of memory. */
class OutOfMemoryTests {

	@Test
	void failedSetChangesNothing() {
		try (JavaProcess process = JavaProcess.of(Program.class).options("-Xmx64m").start()) {
			process.await("^all unchanged$");
		}
	}

	/** Sets values that do not fit into the heap. */
	static final class Program {

		private final TestStore store = new TestStore();

		public static void main(String[] arguments) {
			Program program = new Program();
			program.run();
			System.out.println("all unchanged");
		}

		private void run() {
			Bytes large = Bytes.wrap(new byte[24 << 20]).slice(1, 24 << 20);
			Version version = this.store.apply(set("k", Bytes.of("old"))).version();
			this.store.apply(set("first", large));
			failToSet("k", large);
			check(this.store.get("k").equals(new Answer(new Reply.Value(Bytes.of("old")), version)));
			failToSet("l", large);
			check(this.store.get("l").reply() instanceof Reply.Missing);
			check(this.store.machine.keyCount() == 2);
			check(this.store.machine.byteCount() == 9 + large.length());
		}

		private void failToSet(String key, Bytes value) {
			int changes = this.store.changes.size();
			try {
				this.store.apply(set(key, value));
				throw new AssertionError("The heap is too large");
			}
			catch (OutOfMemoryError ex) {
				check(this.store.changes.size() == changes);
			}
		}

		private static Command.Set set(String key, Bytes value) {
			return new Command.Set(Bytes.of(key), value, Condition.ALWAYS, null);
		}

		private static void check(boolean condition) {
			if (!condition) {
				throw new AssertionError();
			}
		}

	}

}
