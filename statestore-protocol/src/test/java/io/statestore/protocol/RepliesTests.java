package io.statestore.protocol;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Decoding of replies (protocol sections 3 and 9). */
class RepliesTests {

	@ParameterizedTest
	@ValueSource(strings = { ":-1\r\n", "-1\r\n" })
	void decodesNotAppliedInBothForms(String payload) {
		assertThat(decode(payload)).isEqualTo(Reply.Count.NOT_APPLIED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "-ERR not authorized\r\n", "-ERR not authorized", "-ERR: not authorized\r\n",
			"-ERR: not authorized" })
	void decodesErrorInAllForms(String payload) {
		assertThat(decode(payload)).isEqualTo(new Reply.Error(ErrorReason.NOT_AUTHORIZED));
	}

	@Test
	void decodesErrorSpelledAsInSpecification() {
		String text = "the request fencing token is a lower version that the fencing token protecting the resource";
		assertThat(decode("-ERR " + text + "\r\n"))
			.isEqualTo(new Reply.Error(ErrorReason.FENCING_TOKEN_LOWER_VERSION, text));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a new reason: with detail", "syntax error.", "Syntax error", "\u00fcber",
			"a lower version that " })
	void keepsUnknownErrorText(String text) {
		assertThat(decode("-ERR " + text + "\r\n")).isEqualTo(new Reply.Error(ErrorReason.UNKNOWN, text));
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "-ERR a\r\nb\r\n", "-ERR a\nb\r\n", "-ERR a\rb\r\n", "-ERR a\r", "-ERR a\n", "-ERR a\r\n\r\n" })
	void refusesMultilineError(String payload) {
		assertMalformed(payload);
	}

	@Test
	void multilineErrorCannotBeCreated() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Reply.Error(ErrorReason.UNKNOWN, "a\r\n+OK"));
		assertThatIllegalArgumentException().isThrownBy(() -> new Reply.Error(ErrorReason.UNKNOWN, "a\nb"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "$4\r\n1234\r\n", "$4\r\n1234" })
	void decodesValueWithAndWithoutFinalLineEnd(String payload) {
		assertThat(decode(payload)).isEqualTo(new Reply.Value(Bytes.of("1234")));
	}

	@Test
	void decodesValueThatEndsWithLineEnd() {
		Reply value = new Reply.Value(Bytes.of("12\r\n"));
		assertThat(decode("$4\r\n12\r\n\r\n")).isEqualTo(value);
		assertThat(decode("$4\r\n12\r\n")).isEqualTo(value);
	}

	@ParameterizedTest
	@ValueSource(strings = { "$4\r\n123", "$4\r\n1234\r", "$4\r\n1234\n", "$4\r\n12345", "$4\r\n1234\r\n\r\n", "$4\r\n",
			"$4", "$", "$\r\n", "$-2\r\n", "$-1", "$-1\r\n\r\n", "$04\r\n1234\r\n", "$2000000000\r\nx\r\n",
			"$4294967300\r\n1234\r\n" })
	void refusesValueOfWrongLength(String payload) {
		assertMalformed(payload);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "OK\r\n", "\r\n", "+OK", "+OK\n", "+ok\r\n", "+OK\r\n\r\n", "+OKAY\r\n", ":\r\n", ":1",
			":-0\r\n", ":-01\r\n", ":-9223372036854775809\r\n", ":01\r\n", ":+1\r\n", ":1 \r\n", ":\u0661\r\n",
			":9223372036854775808\r\n", "-1", "-2\r\n", "-\r\n", "-ERR\r\n", "-ERR", "-ERR:\r\n",
			"-ERRsyntax error\r\n", "-err syntax error\r\n", "-WRONG x\r\n", ":1\r\nx", ":1\r\n:1\r\n", ":-1\r\nx",
			"-1\r\n\r\n", "#t\r\n", "_\r\n" })
	void refusesMalformedPayload(String payload) {
		assertMalformed(payload);
	}

	@ParameterizedTest
	@ValueSource(strings = { "*0\r\n", "*0\r\n*0\r\n", "*3\r\n*0\r\n$1\r\na\r\n$1\r\nb\r\n", "*1\r\n",
			"*1\r\n$1\r\nk\r\n", "*1\r\n*1\r\n", "*1\r\n*2\r\n$1\r\nk\r\n", "*1\r\n*-1\r\n", "*1\r\n*01\r\n$1\r\nk\r\n",
			"*2\r\n*1\r\n$1\r\nk\r\n", "*2\r\n*0\r\n$-1\r\n", "*1\r\n*0\r\n$1\r\nt\r\n", "*1\r\n*1\r\n$1\r\nk",
			"*2\r\n$1\r\nt\r\n*0\r\n", "*1\r\n*2000000000\r\n$1\r\nk\r\n", "*2147483647\r\n*0\r\n" })
	void refusesInvalidPage(String payload) {
		assertMalformed(payload);
	}

	@Test
	void decodesEmptyPageWithToken() {
		assertThat(decode("*2\r\n*0\r\n$1\r\nt\r\n")).isEqualTo(new Reply.Page(List.of(), Bytes.of("t")));
	}

	private static Reply decode(String payload) {
		return Replies.decode(Bytes.of(payload));
	}

	private static void assertMalformed(String payload) {
		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> decode(payload));
	}

}
