package io.statestore.protocol;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory allocated by encoders and decoders. */
class AllocationTests {

	private static final int MEGABYTE = 1 << 20;

	/**
	 * A limit far above the size of one message's objects and far below any hostile size,
	 * in bytes.
	 */
	private static final int FEW = 2_048;

	@ParameterizedTest
	@ValueSource(strings = { "$2000000000\r\n", "$2147483647\r\nx\r\n", "*2000000000\r\n", "*2147483647\r\n$1\r\nx\r\n",
			"*1\r\n*2000000000\r\n", "*2\r\n*2147483647\r\n$1\r\nx\r\n", "*1\r\n$2000000000\r\n",
			"*2\r\n$3\r\nGET\r\n$2000000000\r\nk\r\n",
			"*4\r\n$6\r\nNOTIFY\r\n$3\r\nSET\r\n$5\r\nVALUE\r\n$2000000000\r\n" })
	void hostileSizeAllocatesNothing(String payload) {
		Bytes bytes = Bytes.of(payload);
		assertThat(Allocation.warm(() -> Commands.decode(bytes))).isLessThan(FEW);
		assertThat(Allocation.warm(() -> Replies.decode(bytes))).isLessThan(FEW);
		assertThat(Allocation.warm(() -> Notifications.decode(bytes))).isLessThan(FEW);
	}

	@Test
	void doesNotRetainSurplusElements() {
		Bytes payload = Bytes.of("*100000\r\n$3\r\nGET\r\n" + "$1\r\nk\r\n".repeat(99_999));
		assertThat(Allocation.warm(() -> Commands.decode(payload))).isLessThan(FEW);
	}

	@Test
	void doesNotCopyLineThatIsNotReply() {
		for (String start : List.of("+", ":", "-", "-ERR", "+OK")) {
			Bytes payload = Bytes.of(start + "1".repeat(MEGABYTE) + "\r\n");
			assertThat(Allocation.warm(() -> Replies.decode(payload))).isLessThan(FEW);
		}
	}

	@Test
	void refusedSumHasNoStackTrace() {
		Command.Increment increment = new Command.Increment(Bytes.of("k"), 1);
		Bytes max = Bytes.of(Long.toString(Long.MAX_VALUE));
		assertThat(atDepth(200, () -> increment.sum(max))).isLessThan(FEW);
	}

	private static long atDepth(int depth, Runnable task) {
		return (depth > 0) ? atDepth(depth - 1, task) : Allocation.warm(task);
	}

	@Test
	void decodedValuesShareMemory() {
		Bytes value = Bytes.wrap(new byte[MEGABYTE]);
		Bytes key = Bytes.of("k");
		assertDecodesWithoutCopy(Commands.encode(new Command.Set(key, value)),
				(bytes) -> ((Command.Set) Commands.decode(bytes)).value());
		assertDecodesWithoutCopy(Commands.encode(new Command.VDel(key, value)),
				(bytes) -> ((Command.VDel) Commands.decode(bytes)).value());
		assertDecodesWithoutCopy(Commands.encode(new Command.Get(value)),
				(bytes) -> ((Command.Get) Commands.decode(bytes)).key());
		assertDecodesWithoutCopy(Replies.encode(new Reply.Value(value)),
				(bytes) -> ((Reply.Value) Replies.decode(bytes)).value());
		assertDecodesWithoutCopy(Replies.encode(new Reply.Page(List.of(value), null)),
				(bytes) -> ((Reply.Page) Replies.decode(bytes)).keys().get(0));
		assertDecodesWithoutCopy(Notifications.encode(new Notification.Set(value)),
				(bytes) -> ((Notification.Set) Notifications.decode(bytes)).value());
	}

	private void assertDecodesWithoutCopy(byte[] message, Decoder decoder) {
		Bytes payload = Bytes.wrap(message);
		assertThat(Allocation.warm(() -> decoder.decode(payload))).isLessThan(FEW);
		Bytes part = decoder.decode(payload);
		assertThat(part.length()).isEqualTo(MEGABYTE);
		Arrays.fill(message, (byte) 7);
		assertThat(part.at(MEGABYTE - 1)).as("shares the memory of the message").isEqualTo((byte) 7);
	}

	@Test
	void encodingCopiesValueOnce() {
		Bytes value = Bytes.wrap(new byte[MEGABYTE]);
		Bytes key = Bytes.of("k");
		long once = MEGABYTE + FEW;
		assertThat(Allocation.warm(() -> Commands.encode(new Command.Set(key, value)))).isLessThan(once);
		assertThat(Allocation.warm(() -> Replies.encode(new Reply.Value(value)))).isLessThan(once);
		assertThat(Allocation.warm(() -> Notifications.encode(new Notification.Set(value)))).isLessThan(once);
		Reply page = new Reply.Page(Collections.nCopies(4, value.slice(0, MEGABYTE / 4)), null);
		assertThat(Allocation.warm(() -> Replies.encode(page))).isLessThan(once);
	}

	private interface Decoder {

		Bytes decode(Bytes payload);

	}

}
