package io.statestore.broker.engine;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import io.statestore.broker.codec.Encoder;
import io.statestore.broker.codec.StateFormatException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Entries, answers, and a snapshot written by a version without principals, in the
 * {@code first-format} resource folder. Entries and answers come from a
 * {@link RandomLog}; the snapshot shows its final state.
 */
class FirstFormatTests {

	private final StateMachine machine = Machines.create();

	@Test
	void replayOfEarlierEntriesYieldsSameAnswersAndState() throws IOException {
		List<String> answers = new ArrayList<>();
		for (byte[] encoded : entries()) {
			Encoder answer = new Encoder(64);
			AnswerCodec.encode(this.machine.apply(LogEntryCodec.decode(ByteBuffer.wrap(encoded))), answer);
			answers.add(HexFormat.of().formatHex(answer.toArray()));
		}
		assertThat(answers).isEqualTo(text(resource("answers")).lines().toList());
		StateMachine restored = Machines.restore(resource("snapshot"));
		assertThat(restored.replyCount()).isGreaterThan(20);
		assertThat(restored.keyCount()).isGreaterThan(10);
		assertThat(Machines.dump(restored)).isEqualTo(Machines.dump(this.machine));
		assertThat(restored.ownerCount()).isZero();
		assertThat(restored.quota().maxKeysPerUser()).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void firstFormatSnapshotRequiresItsFields() throws IOException {
		byte[] snapshot = resource("snapshot");
		snapshot[0] = StateSnapshot.FORMAT;
		assertThatExceptionOfType(StateFormatException.class).isThrownBy(() -> Machines.restore(snapshot));
	}

	private static List<byte[]> entries() throws IOException {
		List<byte[]> entries = new ArrayList<>();
		DataInputStream input = new DataInputStream(new ByteArrayInputStream(resource("entries")));
		while (input.available() > 0) {
			entries.add(input.readNBytes(input.readInt()));
		}
		assertThat(entries).hasSizeGreaterThan(200);
		return entries;
	}

	private static byte[] resource(String name) throws IOException {
		return FirstFormatTests.class.getResourceAsStream("first-format/" + name).readAllBytes();
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
