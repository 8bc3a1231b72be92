package io.statestore.protocol;

import java.time.Duration;
import java.util.Comparator;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeout;

/** The text and order of versions (protocol sections 4 and 10). */
class VersionTests {

	@ParameterizedTest
	@ValueSource(strings = { "001696374425000:00001:CLIENT", "1696374425000:1:CLIENT", "01696374425000:01:CLIENT",
			"1696374425000:0000000001:CLIENT" })
	void parsesPaddedAndUnpaddedForms(String text) {
		assertThat(Version.parse(text)).isEqualTo(new Version(1_696_374_425_000L, 1, "CLIENT"));
	}

	@Test
	void writesBothForms() {
		Version version = new Version(1_696_374_425_000L, 1, "node");
		assertThat(version).hasToString("1696374425000:1:node");
		assertThat(version.toPaddedString()).isEqualTo("001696374425000:00001:node");
	}

	@Test
	void padsCounterWithMoreThanFiveDigits() {
		assertThat(new Version(1, 123_456, "n").toPaddedString()).isEqualTo("000000000000001:123456:n");
	}

	@Test
	void parsesLargestNumbers() {
		assertThat(Version.parse("999999999999999:2147483647:n"))
			.isEqualTo(new Version(999_999_999_999_999L, Integer.MAX_VALUE, "n"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ":", "::", "1", "1:", "1:1", "1:1:", ":1:n", "1::n", "1:1:n:", "1:1::", "1:1:n:x",
			":1:1:n" })
	void requiresThreeParts(String text) {
		assertMalformed(text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "-1:1:n", "1:-1:n", "+1:1:n", "1:+1:n", " 1:1:n", "1 :1:n", "1:1 :n", "1.0:1:n", "0x1:1:n",
			"1:1e3:n", "\u0661:1:n", "1:\u0967:n", "\uff11:1:n", "1\n:1:n", "\n1:1:n", "a:b:n" })
	void requiresAsciiDigits(String text) {
		assertMalformed(text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1000000000000000:0:n", "0000000000000001:0:n", "9223372036854775808:0:n",
			"18446744073709551617:0:n" })
	void refusesWallTimeWithMoreThan15Digits(String text) {
		assertMalformed(text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1:2147483648:n", "1:4294967297:n", "1:9999999999:n", "1:00000000001:n",
			"1:18446744073709551617:n" })
	void refusesTooLargeCounter(String text) {
		assertMalformed(text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b", " ", "a/b+#", "\u00fc\u20ac", "\ud83d\ude00", "a\nb", "-1", "\0" })
	void parsesAnyNodeIdWithoutColon(String nodeId) {
		Version version = Version.parse("1:2:" + nodeId);
		assertThat(version.nodeId()).isEqualTo(nodeId);
		assertThat(Version.parse(version.toString())).isEqualTo(version);
	}

	@Test
	void parsesLongStringInLinearTime() {
		String digits = "9".repeat(5_000_000);
		assertTimeout(Duration.ofSeconds(20), () -> {
			assertMalformed(digits);
			assertMalformed("0".repeat(5_000_000) + ":0:n");
			assertMalformed("1:" + digits + ":n");
			assertMalformed("1:1:" + ":".repeat(5_000_000));
			assertThat(Version.parse("1:1:" + digits).nodeId()).isEqualTo(digits);
		});
	}

	@Test
	void refusesInvalidComponents() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Version(-1, 0, "n"));
		assertThatIllegalArgumentException().isThrownBy(() -> new Version(1_000_000_000_000_000L, 0, "n"));
		assertThatIllegalArgumentException().isThrownBy(() -> new Version(0, -1, "n"));
		assertThatIllegalArgumentException().isThrownBy(() -> new Version(0, 0, ""));
		assertThatIllegalArgumentException().isThrownBy(() -> new Version(0, 0, "a:b"));
	}

	@ParameterizedTest
	@CsvSource({ "9:9:z, 10:0:a", "1:9:z, 1:10:a", "1:1:a, 1:1:b", "000000000000009:00009:z, 10:0:a" })
	void ordersByWallThenCounterThenNodeId(String lower, String higher) {
		assertThat(Version.parse(lower)).isLessThan(Version.parse(higher));
	}

	@Property
	void roundTripInBothForms(@ForAll("versions") Version version) {
		assertThat(Version.parse(version.toString())).isEqualTo(version);
		assertThat(Version.parse(version.toPaddedString())).isEqualTo(version);
	}

	@Property
	void orderAgreesWithPaddedStrings(@ForAll("versions") Version one, @ForAll("versions") Version two) {
		Comparator<Version> naive = Comparator.comparing(
				(version) -> "%015d%010d%s".formatted(version.wallMillis(), version.counter(), version.nodeId()));
		assertThat(Integer.signum(one.compareTo(two))).isEqualTo(Integer.signum(naive.compare(one, two)));
		assertThat(one.compareTo(two) == 0).isEqualTo(one.equals(two));
	}

	@Provide
	Arbitrary<Version> versions() {
		return Generators.versions();
	}

	private static void assertMalformed(String text) {
		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> Version.parse(text))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(ErrorReason.MALFORMED_TIMESTAMP));
	}

}
