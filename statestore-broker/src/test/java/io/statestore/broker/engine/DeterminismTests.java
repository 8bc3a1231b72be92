package io.statestore.broker.engine;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.statestore.broker.engine.TestStore.Change;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.test.JavaProcess;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The same entries lead to the same state, answers, and changes, byte for byte. */
class DeterminismTests {

	@Property
	void machinesWithSameEntriesAreEqual(@ForAll long seed) {
		Random random = new Random(seed);
		RandomLog log = new RandomLog(seed, 1 + random.nextInt(1_000));
		log.run(1_500);
		TestStore store = log.store;
		List<Change> changes = new ArrayList<>();
		ChangeListener listener = (key, value, version, author) -> changes.add(new Change(key, value, version, author));
		StateMachine second = new StateMachine(listener);
		for (int i = 0; i < store.entries.size(); i++) {
			// The first entry starts the log; a machine without a start has no snapshot
			if (i > 0 && random.nextInt(300) == 0) {
				second = Machines.restore(Machines.dump(second), listener);
			}
			if (random.nextInt(20) == 0) {
				// Calls that only a proposer makes must not matter
				second.due(second.logTime() + random.nextInt(100_000_000), 1 + random.nextInt(10));
				second.read(new Command.Get(Bytes.of("key-1")));
			}
			assertThat(second.apply(Machines.recode(store.entries.get(i)))).isEqualTo(store.answers.get(i));
		}
		assertThat(Machines.dump(second)).isEqualTo(Machines.dump(store.machine));
		assertThat(Machines.scan(second)).isEqualTo(Machines.scan(store.machine));
		assertThat(changes).isEqualTo(store.changes);
		for (String principal : RandomLog.PRINCIPALS) {
			assertThat(second.keysOf(principal)).isEqualTo(store.machine.keysOf(principal));
		}
		assertThat(second.ownerCount()).isEqualTo(store.machine.ownerCount());
	}

	@Test
	void machineInAnotherProcessIsEqual(@TempDir Path directory) throws IOException {
		RandomLog log = new RandomLog(5, 5_000);
		log.run(10_000);
		Path file = directory.resolve("entries");
		try (DataOutputStream output = new DataOutputStream(stream(file))) {
			for (LogEntry entry : log.store.entries) {
				byte[] encoded = LogEntryCodec.encode(entry);
				output.writeInt(encoded.length);
				output.write(encoded);
			}
		}
		String expected = DigestProgram.digest(file);
		try (JavaProcess process = JavaProcess.of(DigestProgram.class)
			.options("-Xmx96m", "-XX:+UseSerialGC", "-Duser.timezone=Asia/Kathmandu", "-Duser.language=tr",
					"-Dfile.encoding=ISO-8859-1")
			.arguments(file.toString())
			.start()) {
			assertThat(process.await("^digest ([0-9A-F]+)$").group(1)).isEqualTo(expected);
		}
	}

	private static OutputStream stream(Path file) throws IOException {
		return new BufferedOutputStream(Files.newOutputStream(file));
	}

}
