package io.statestore.protocol;

import java.util.regex.Pattern;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class GlobPatternTests {

	@ParameterizedTest
	@CsvSource(delimiter = ' ',
			value = { "* anything", "a a", "a* a", "a*c abc", "a*c ac", "a*c abcbc", "*b*d* abcde", "?? ab", "a?c abc",
					"[abc] b", "[a-c] b", "[!a] b", "[!a-c] d", "[]] ]", "[]a] a", "[!]] a", "[a-] -", "[-a] -",
					"[a-cx-z] y", "[*] *", "[?] ?", "[[] [", "[!!] a", "[a!] !", "machines/*/cpu machines/a/b/cpu",
					"? ä", "? 😀", "[😀-😂] 😁", "[ä-ü] ö", "*😀 a😀", "a] a]" })
	void matchesKey(String pattern, String key) {
		assertThat(matches(pattern, key)).isTrue();
	}

	@ParameterizedTest
	@CsvSource(delimiter = ' ', value = { "a b", "a A", "a aa", "a* ba", "*a ab", "? ab", "[abc] d", "[a-c] d",
			"[!a] a", "[!a-c] b", "[!a] ab", "a*c ab", "?* ''", "[!!] !", "[*] a", "? äö" })
	void doesNotMatchKey(String pattern, String key) {
		assertThat(matches(pattern, key)).isFalse();
	}

	@Test
	void emptyPatternMatchesNoKey() {
		assertThat(matches("", "a")).isFalse();
	}

	@Test
	void eachInvalidUtf8ByteIsOneCharacter() {
		Bytes key = Bytes.wrap(new byte[] { 'a', (byte) 0xFF, 'b' });
		assertThat(GlobPattern.of(Bytes.of("a?b")).matches(key)).isTrue();
		assertThat(GlobPattern.of(Bytes.of("a??b")).matches(key)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "[", "[a", "[]", "[!]", "[!", "[a-", "[z-a]", "*[" })
	void refusesOpenOrUnorderedClass(String pattern) {
		assertSyntaxError(pattern);
	}

	@Test
	void refusesLongPatternUnlessItIsKey() {
		String key = "k".repeat(GlobPattern.MAX_LENGTH + 1);
		assertThat(GlobPattern.of(Bytes.of(key)).literal()).isEqualTo(Bytes.of(key));
		assertSyntaxError(key + "*");
	}

	@Test
	void boundsWorkForHostilePattern() {
		GlobPattern.Matcher pattern = GlobPattern.of(Bytes.of("a*".repeat(500) + "b")).matcher();
		int length = 20_000;
		assertThat(pattern.matches(Bytes.of("a".repeat(length)))).isFalse();
		assertThat(pattern.steps()).isLessThan(length * 17L);
		GlobPattern.Matcher substring = GlobPattern.of(Bytes.of("*" + "a".repeat(1_000) + "b")).matcher();
		assertThat(substring.matches(Bytes.of("a".repeat(length)))).isFalse();
		assertThat(substring.steps()).isLessThan(length * 17L);
	}

	@Test
	void boundsWorkForHostileKey() {
		GlobPattern.Matcher pattern = GlobPattern.of(Bytes.of("*" + "a".repeat(1_000) + "b")).matcher();
		int length = 4 * 1024 * 1024;
		assertThat(pattern.matches(Bytes.of("a".repeat(length)))).isFalse();
		assertThat(pattern.steps()).isLessThan(length * 17L);
		assertThat(pattern.matches(Bytes.of("a".repeat(2_000) + "b"))).isTrue();
	}

	@ParameterizedTest
	@ValueSource(ints = { 61, 62, 63, 64, 65, 126, 127, 128, 129 })
	void matchesAllElementsInLongPattern(int length) {
		String text = "abc".repeat(length).substring(0, length);
		assertThat(matches("*" + text + "*", text)).isTrue();
		assertThat(matches("?*" + text, "ab" + text)).isTrue();
		assertThat(matches(text + "*", text + "z")).isTrue();
		assertThat(matches(text + "*" + text, text + "z" + text)).isTrue();
		assertThat(matches(text + "*" + text, text + "z" + text + "z")).isFalse();
		assertThat(matches("*" + text + "?", text)).isFalse();
	}

	@Property
	void agreesWithRegularExpression(
			@ForAll @Chars({ 'a', 'b', 'c', '*', '?', '[', ']', '!', '-' }) @StringLength(max = 8) String pattern,
			@ForAll @CharRange(from = 'a', to = 'c') @StringLength(max = 8) String key) {
		GlobPattern glob;
		try {
			glob = GlobPattern.of(Bytes.of(pattern));
		}
		catch (ProtocolException ex) {
			return;
		}
		assertThat(glob.matches(Bytes.of(key))).as("%s on %s", pattern, key)
			.isEqualTo(Pattern.matches(toRegex(pattern), key));
	}

	@Property
	void escapedStringMatchesOnlyItself(
			@ForAll @Chars({ 'a', 'b', '*', '?', '[', ']', '!', '-' }) @StringLength(max = 6) String text,
			@ForAll @Chars({ 'a', 'b', '*', '?', '[', ']', '!', '-' }) @StringLength(max = 6) String other) {
		GlobPattern pattern = GlobPattern.of(Bytes.of(GlobPattern.escape(text)));
		assertThat(pattern.matches(Bytes.of(text))).isTrue();
		assertThat(pattern.matches(Bytes.of(other))).isEqualTo(text.equals(other));
	}

	/** Translates a valid pattern into a regular expression. */
	private static String toRegex(String pattern) {
		StringBuilder regex = new StringBuilder("(?s)");
		int i = 0;
		while (i < pattern.length()) {
			char character = pattern.charAt(i++);
			if (character == '*') {
				regex.append(".*");
			}
			else if (character == '?') {
				regex.append('.');
			}
			else if (character != '[') {
				regex.append(Pattern.quote(String.valueOf(character)));
			}
			else {
				boolean negated = pattern.charAt(i) == '!';
				int start = negated ? i + 1 : i;
				int end = pattern.indexOf(']', start + 1);
				regex.append(negated ? "(?![" : "(?:[").append(members(pattern.substring(start, end)));
				regex.append(negated ? "])." : "])");
				i = end + 1;
			}
		}
		return regex.toString();
	}

	private static String members(String members) {
		StringBuilder result = new StringBuilder();
		int i = 0;
		while (i < members.length()) {
			boolean range = i + 2 < members.length() && members.charAt(i + 1) == '-';
			result.append('\\').append('x').append(String.format("%02x", (int) members.charAt(i)));
			if (range) {
				result.append("-\\x").append(String.format("%02x", (int) members.charAt(i + 2)));
			}
			i += range ? 3 : 1;
		}
		return result.toString();
	}

	private static boolean matches(String pattern, String key) {
		return GlobPattern.of(Bytes.of(pattern)).matches(Bytes.of(key));
	}

	private static void assertSyntaxError(String pattern) {
		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> GlobPattern.of(Bytes.of(pattern)))
			.extracting(ProtocolException::reason)
			.isEqualTo(ErrorReason.SYNTAX_ERROR);
	}

}
