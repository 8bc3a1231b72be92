package io.statestore.dafka.reading.internal;

import java.util.Arrays;
import java.util.List;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.statestore.dafka.node.internal.TestBeacons;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes the decoders of commands and beacons. The first byte of an input is the number
 * of additional frames, each with a one-byte length; the rest is the first frame.
 */
class DecoderFuzzTests {

	@FuzzTest
	void decodesOneForm(byte[] input) {
		if (input.length == 0) {
			return;
		}
		byte[][] frames = new byte[1 + (input[0] & 3)][];
		int position = 1;
		for (int i = 1; i < frames.length; i++) {
			int start = Math.min(input.length, position + 1);
			int length = (position < input.length) ? input[position] & 0xFF : 0;
			position = Math.min(input.length, start + length);
			frames[i] = Arrays.copyOfRange(input, start, position);
		}
		frames[0] = Arrays.copyOfRange(input, position, input.length);
		if (frames.length <= 2) {
			decodeCommand(frames[0], (frames.length == 2) ? frames[1] : null);
		}
		TestBeacons.assertOneForm(List.of(frames));
	}

	private static void decodeCommand(byte[] header, byte @Nullable [] content) {
		Command command = Command.decode(header, content);
		if (command == null) {
			return;
		}
		byte[] encoded = command.encode();
		assertThat(Command.decode(encoded, content)).isEqualTo(command);
		if (command instanceof Command.Ack) {
			// The header may contain the store's address, which the decoder drops.
			assertThat(encoded.length).isLessThanOrEqualTo(header.length);
		}
		else {
			assertThat(encoded).isEqualTo(header);
		}
		if (command instanceof Command.Record record) {
			assertSequence(header, record.sequence());
			assertThat(Command.record(record.address(), record.subject()).at(record.sequence())).isEqualTo(header);
		}
		else if (command instanceof Command.DirectRecord record) {
			assertSequence(header, record.sequence());
		}
	}

	/** Checks that a cache finds all headers of the partition and no others. */
	private static void assertSequence(byte[] header, long sequence) {
		assertThat(Command.Headers.sequence(header)).isEqualTo(sequence);
		HeaderCache<String> cache = new HeaderCache<>();
		cache.remember(header, "partition");
		byte[] next = header.clone();
		next[next.length - 1]++;
		assertThat(cache.find(next)).isEqualTo(cache.find(header));
		byte[] other = header.clone();
		other[1]++;
		assertThat(cache.find(other)).isNull();
	}

}
