package io.statestore.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class BytesTests {

	@Test
	void slicesShareMemory() {
		byte[] array = { 1, 2, 3 };
		Bytes slice = Bytes.wrap(array).slice(1, 3);
		array[1] = 9;
		assertThat(slice).isEqualTo(Bytes.wrap(new byte[] { 9, 3 }));
	}

	@Test
	void copiesDoNotShareMemory() {
		byte[] array = { 1, 2, 3 };
		Bytes wrapped = Bytes.wrap(array);
		Bytes copy = Bytes.copyOf(array);
		Bytes compact = wrapped.slice(0, 2).compact();
		byte[] out = wrapped.toArray();
		array[0] = 9;
		assertThat(copy.at(0)).isEqualTo((byte) 1);
		assertThat(compact.at(0)).isEqualTo((byte) 1);
		assertThat(out[0]).isEqualTo((byte) 1);
	}

	@Test
	void compactsOnlyParts() {
		Bytes whole = Bytes.of("whole");
		assertThat(whole.compact()).isSameAs(whole);
		assertThat(whole.slice(0, 5).compact()).isEqualTo(whole);
		assertThat(whole.slice(2, 2).compact()).isSameAs(Bytes.EMPTY);
	}

	@Test
	void refusesPositionsOutsideSlice() {
		Bytes slice = Bytes.of("hello").slice(1, 3);
		assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> slice.at(2));
		assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> slice.at(-1));
		assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> slice.slice(0, 3));
		assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> slice.slice(2, 1));
	}

	@Test
	void comparesUnsignedBytes() {
		Bytes low = Bytes.wrap(new byte[] { 0x7f });
		Bytes high = Bytes.wrap(new byte[] { (byte) 0x80 });
		assertThat(low).isLessThan(high);
		assertThat(Bytes.of("a")).isLessThan(Bytes.of("ab"));
	}

	@Test
	void fewCountersShareHash() {
		assertThat(collisions((i) -> ByteBuffer.allocate(16).putLong(8, i).array())).isLessThan(20);
		assertThat(collisions((i) -> ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(0, i).array()))
			.isLessThan(20);
		assertThat(collisions((i) -> ("machines/" + i + "/speed").getBytes(StandardCharsets.UTF_8))).isLessThan(20);
	}

	@Test
	void changesThatCancelOutChangeHash() {
		// This difference survives a multiplication by an odd number, regardless of
		// earlier additions.
		long difference = 0x8000000080000000L;
		assertThat(collisions((i) -> {
			ByteBuffer blocks = ByteBuffer.allocate(20 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
			for (int block = 0; block < 18; block++) {
				blocks.putLong((i >>> block & 1) * difference);
			}
			return blocks.putLong((Integer.bitCount(i) & 1) * difference).array();
		})).isLessThan(20);
	}

	/**
	 * Returns how many of 100,000 values have the same hash as another value. About one
	 * is expected.
	 */
	private static int collisions(IntFunction<byte[]> value) {
		int count = 100_000;
		return count
				- (int) IntStream.range(0, count).map((i) -> Bytes.wrap(value.apply(i)).hashCode()).distinct().count();
	}

	@Test
	void textHidesContent() {
		assertThat(Bytes.of("secret")).hasToString("Bytes[6]");
		assertThat(new Command.Set(Bytes.of("key"), Bytes.of("secret")).toString()).doesNotContain("secret");
	}

	@Test
	void parsesHexadecimalInEitherCaseOnly() {
		assertThat(Bytes.ofHex("0aFf")).isEqualTo(Bytes.wrap(new byte[] { 0x0a, (byte) 0xff }));
		assertThatIllegalArgumentException().isThrownBy(() -> Bytes.ofHex("0"));
		assertThatIllegalArgumentException().isThrownBy(() -> Bytes.ofHex("0g"));
	}

	@Property
	void hexadecimalRoundTrip(@ForAll("bytes") Bytes bytes) {
		assertThat(Bytes.ofHex(bytes.toHex())).isEqualTo(bytes).hasSameHashCodeAs(bytes);
		assertThat(bytes.toHex()).matches("([0-9A-F]{2})*");
	}

	@Property
	void partsAndCopiesAreEqual(@ForAll("bytes") Bytes bytes) {
		Bytes copy = Bytes.wrap(bytes.toArray());
		assertThat(bytes).isEqualTo(copy).hasSameHashCodeAs(copy).isEqualByComparingTo(copy);
		assertThat(bytes.compact()).isEqualTo(bytes);
		byte[] viewed = new byte[bytes.length()];
		bytes.toByteBuffer().get(viewed);
		assertThat(Bytes.wrap(viewed)).isEqualTo(bytes);
		assertThat(bytes.toByteBuffer().isReadOnly()).isTrue();
	}

	@Provide
	Arbitrary<Bytes> bytes() {
		return Generators.bytes();
	}

}
