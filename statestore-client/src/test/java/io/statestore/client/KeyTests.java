package io.statestore.client;

import io.statestore.protocol.Bytes;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.NotEmpty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class KeyTests {

	@Property
	void anyBytesRoundTrip(@ForAll @NotEmpty byte[] content) {
		Key key = Key.of(content);
		assertThat(key.bytes().toArray()).isEqualTo(content);
		assertThat(key).isEqualTo(Key.of(Bytes.copyOf(content))).hasSameHashCodeAs(Key.of(content));
		String text = key.toString();
		Bytes readBack = text.startsWith("0x") && !key.bytes().equals(Bytes.of(text)) ? Bytes.ofHex(text.substring(2))
				: Bytes.of(text);
		assertThat(readBack).isEqualTo(key.bytes());
	}

	@Property
	void anyTextRoundTrips(@ForAll @NotEmpty String text) {
		Assume.that(Utf8.encode(text) != null);
		assertThat(Key.of(text).bytes().toUtf8()).isEqualTo(text);
	}

	@Property
	void ordersAsUnsignedBytes(@ForAll @NotEmpty byte[] one, @ForAll @NotEmpty byte[] other) {
		assertThat(Integer.signum(Key.of(one).compareTo(Key.of(other))))
			.isEqualTo(Integer.signum(Bytes.copyOf(one).compareTo(Bytes.copyOf(other))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "machines/eins/cpu", "thermostat\\setpoint", "Größe", "温度", "a b", "\uD83C\uDF21", "+#/" })
	void showsPrintableText(String text) {
		assertThat(Key.of(text)).hasToString(text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "00", "0A", "61000D0A", "FF", "C3", "EDA080", "E280AE61", "E280A8" })
	void showsOtherBytesInHexadecimal(String hex) {
		assertThat(Key.of(Bytes.ofHex(hex))).hasToString("0x" + hex);
	}

	@Test
	void copiesArray() {
		byte[] content = { 'a' };
		Key key = Key.of(content);
		content[0] = 'b';
		assertThat(key).isEqualTo(Key.of("a"));
	}

	@Test
	void refusesEmptyKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> Key.of(""))
			.withMessageContaining("'key' must not be empty")
			.withMessageContaining("at least one character");
		assertThatIllegalArgumentException().isThrownBy(() -> Key.of(new byte[0]));
		assertThatIllegalArgumentException().isThrownBy(() -> new Key(Bytes.EMPTY));
	}

	@Test
	void refusesStringWithUnpairedSurrogate() {
		// Java encodes it as a question mark, so it would equal the key "?".
		assertThatIllegalArgumentException().isThrownBy(() -> Key.of("\uD800"))
			.withMessageContaining("'key'")
			.withMessageContaining("surrogate");
		assertThatIllegalArgumentException().isThrownBy(() -> Key.of("a\uDC00b"));
	}

	@Test
	void shortensLongKeysInMessages() {
		assertThat(Key.of("short").quoted()).isEqualTo("'short'");
		assertThat(Key.of("k".repeat(40_000)).quoted()).isEqualTo("'" + "k".repeat(100) + "...' (40000 bytes)");
		assertThat(Key.of("k".repeat(99) + "\uD83C\uDF21\uD83C\uDF21").quoted())
			.isEqualTo("'" + "k".repeat(99) + "...' (107 bytes)");
	}

}
