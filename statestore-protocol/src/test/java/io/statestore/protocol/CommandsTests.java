package io.statestore.protocol;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.statestore.protocol.Command.Condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Decoding of commands (protocol sections 2 and 10), in the order in which the checks
 * run.
 */
class CommandsTests {

	@ParameterizedTest
	@ValueSource(strings = { "", "GET k", "GET k\r\n", "+GET\r\n", "$3\r\nGET\r\n", "*", "*\r\n", "*\r", "*1", "\r\n" })
	void refusesPayloadThatIsNotArray(String payload) {
		assertRefused(payload, ErrorReason.SYNTAX_ERROR);
	}

	@ParameterizedTest
	@ValueSource(strings = { "*0\r\n", "*-1\r\n", "*2\r\n$3\r\nGET\r\n$-1\r\n", "*1\r\n$-1\r\n", "*1\r\n*0\r\n",
			"*2\r\n$3\r\nGET\r\n:1\r\n", "*2\r\n$3\r\nGET\r\n+k\r\n" })
	void refusesEmptyArrayAndOtherElements(String payload) {
		assertRefused(payload, ErrorReason.SYNTAX_ERROR);
	}

	@ParameterizedTest
	@ValueSource(strings = { "02", "+2", "-2", " 2", "2 ", "0x2", "2.0", "4294967298", "18446744073709551618",
			"99999999999999999999999999", "\u0662" })
	void refusesInvalidCount(String count) {
		assertRefused("*" + count + "\r\n$3\r\nGET\r\n$1\r\nk\r\n", ErrorReason.SYNTAX_ERROR);
	}

	@ParameterizedTest
	@ValueSource(strings = { "01", "+1", "-1", " 1", "1 ", "", "0", "2", "3", "4294967297", "18446744073709551617",
			"2147483648", "2147483647", "2000000000" })
	void refusesInvalidLength(String length) {
		assertRefused("*2\r\n$3\r\nGET\r\n$" + length + "\r\nk\r\n", ErrorReason.SYNTAX_ERROR);
	}

	@ParameterizedTest
	@ValueSource(strings = { "*2\r\n$3\r\nGET\r\n$1\r\nk", "*2\r\n$3\r\nGET\r\n$1\r\nk\r",
			"*2\r\n$3\r\nGET\r\n$1\r\nk\n", "*2\n$3\nGET\n$1\nk\n", "*2\r\n$3\r\nGET\r\n$1\r\nk\n\r",
			"*2\r\n$3\r\nGET\r\n", "*2\r\n$3\r\nGET\r\n$1" })
	void requiresFinalLineEnd(String payload) {
		assertRefused(payload, ErrorReason.SYNTAX_ERROR);
	}

	@ParameterizedTest
	@ValueSource(strings = { "\0", "\r\n", "$1\r\nx\r\n", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n" })
	void refusesTrailingBytes(String trailing) {
		assertRefused("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n" + trailing, ErrorReason.SYNTAX_ERROR);
	}

	@ParameterizedTest
	@ValueSource(strings = { "get,k", "Get,k", "set,k,v", "PUT,k", "GETX,k", "GE,k", "GET ,k", "keynotify,k",
			"nonsense", "nonsense,a,b,c,d,e,f,g,h" })
	void refusesLowerCaseAndUnknownVerbs(String elements) {
		assertRefusedElements(elements, ErrorReason.UNKNOWN_COMMAND);
	}

	@Test
	void refusesEmptyVerb() {
		assertRefused("*1\r\n$0\r\n\r\n", ErrorReason.UNKNOWN_COMMAND);
		assertRefused("*2\r\n$0\r\n\r\n$0\r\n\r\n", ErrorReason.UNKNOWN_COMMAND);
	}

	@ParameterizedTest
	@ValueSource(strings = { "SET", "SET,k", "SET,k,v,PX", "SET,k,v,NX,PX", "SET,k,v,NX,PX,1,x", "SET,k,v,PX,1,PX,2",
			"GET", "GET,k,x", "DEL", "DEL,k,x", "VDEL", "VDEL,k", "VDEL,k,v,x", "KEYNOTIFY", "KEYNOTIFY,k,STOP,x",
			"SCAN", "SCAN,*,t,x", "GET,1,2,3,4,5,6,7,8,9" })
	void refusesWrongNumberOfArguments(String elements) {
		assertRefusedElements(elements, ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
	}

	@ParameterizedTest
	@ValueSource(strings = { "SET,,v", "SET,,", "SET,,v,nonsense", "SET,,v,PX,0", "GET,", "DEL,", "VDEL,,v",
			"KEYNOTIFY,", "KEYNOTIFY,,STOP", "KEYNOTIFY,,nonsense" })
	void refusesEmptyKeyBeforeOptions(String elements) {
		assertRefusedElements(elements, ErrorReason.KEY_LENGTH_ZERO);
	}

	@ParameterizedTest
	@ValueSource(strings = { "SET,", "GET,,", "DEL,,", "VDEL,", "KEYNOTIFY,,STOP,x" })
	void checksCountBeforeKey(String elements) {
		assertRefusedElements(elements, ErrorReason.WRONG_NUMBER_OF_ARGUMENTS);
	}

	@Test
	void checksFramingBeforeVerb() {
		assertRefused("*2\r\n$1\r\nx\r\n$1\r\nk", ErrorReason.SYNTAX_ERROR);
		assertRefused("*2000000000\r\n$1\r\nx\r\n$1\r\nk\r\n", ErrorReason.SYNTAX_ERROR);
	}

	@Test
	void checksFramingOfSurplusElements() {
		assertRefused(array("GET", "1", "2", "3", "4", "5", "6", "7") + "x", ErrorReason.SYNTAX_ERROR);
		assertRefused(array("GET", "1", "2", "3", "4", "5", "6", "7").replace("$1\r\n7", "$2\r\n7"),
				ErrorReason.SYNTAX_ERROR);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PX,NX", "PX,1,PX", "NX,NX", "NX,NEX", "NEX,NX", "nx", "px,1", "EX,1", "XX", "NEX,v",
			"NX,", "''", "PX,1,nonsense" })
	void refusesInvalidOptions(String options) {
		assertRefusedElements("SET,k,v," + options.replace("''", ""), ErrorReason.SYNTAX_ERROR);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1", "+1", "01", "1.0", "1e3", " 1", "1 ", "", "x", "\u0661", "9223372036854775808",
			"18446744073709551617", "99999999999999999999999999999999999999" })
	void refusesInvalidExpiry(String expiry) {
		assertRefused(array("SET", "k", "v", "PX", expiry), ErrorReason.SYNTAX_ERROR);
		assertRefused(array("SET", "k", "v", "PX", expiry, "NX"), ErrorReason.SYNTAX_ERROR);
	}

	@ParameterizedTest
	@CsvSource({ "NX, IF_ABSENT", "NEX, IF_ABSENT_OR_EQUAL" })
	void decodesConditionAndExpiryInEitherOrder(String option, Condition condition) {
		Command expected = new Command.Set(Bytes.of("k"), Bytes.of("v"), condition, Duration.ofMillis(5));
		assertThat(decode(array("SET", "k", "v", option, "PX", "5"))).isEqualTo(expected);
		assertThat(decode(array("SET", "k", "v", "PX", "5", option))).isEqualTo(expected);
	}

	@Test
	void decodesLargestExpiry() {
		Command.Set set = (Command.Set) decode(array("SET", "k", "v", "PX", "9223372036854775807"));
		assertThat(set.expiry()).isEqualTo(Duration.ofMillis(Long.MAX_VALUE));
	}

	@Test
	void roundsExpiryUpToMilliseconds() {
		assertThat(sentExpiry(Duration.ofNanos(1))).isEqualTo(Duration.ofMillis(1));
		assertThat(sentExpiry(Duration.ofMillis(7))).isEqualTo(Duration.ofMillis(7));
		assertThat(sentExpiry(Duration.ofMillis(7).plusNanos(1))).isEqualTo(Duration.ofMillis(8));
		assertThat(sentExpiry(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Duration.ofMillis(Long.MAX_VALUE));
		assertThat(sentExpiry(Duration.ofMillis(Long.MAX_VALUE))).isEqualTo(Duration.ofMillis(Long.MAX_VALUE));
		assertThat(sentExpiry(Duration.ofMillis(Long.MAX_VALUE).plusNanos(1)))
			.isEqualTo(Duration.ofMillis(Long.MAX_VALUE));
	}

	@Test
	void decodesKeyAndValueThatLookLikeOptions() {
		assertThat(decode(array("SET", "NX", "PX"))).isEqualTo(new Command.Set(Bytes.of("NX"), Bytes.of("PX")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "stop", "GET", "", "STOP " })
	void refusesKeynotifyOptionOtherThanStop(String option) {
		assertRefused(array("KEYNOTIFY", "k", option), ErrorReason.SYNTAX_ERROR);
	}

	@Test
	void decodesEmptyPatternAndToken() {
		assertThat(decode(array("SCAN", "", ""))).isEqualTo(new Command.Scan(Bytes.EMPTY, Bytes.EMPTY));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';',
			value = { "Get,k; UNKNOWN_COMMAND", "sETT,k; UNKNOWN_COMMAND", "g\u0000t,k; UNKNOWN_COMMAND",
					"keynot\u0131fy,k; UNKNOWN_COMMAND", "set,k,v,nx; SYNTAX_ERROR", "set,k,v,NX,NEX,v; SYNTAX_ERROR",
					"set,k,v,NEX,v,PX; WRONG_NUMBER_OF_ARGUMENTS", "set,k,v,PX,1,NEX,v,x; WRONG_NUMBER_OF_ARGUMENTS",
					"set,k,v,NX,PX,1,x; WRONG_NUMBER_OF_ARGUMENTS", "set,k,v,NEX,v,EX,1; SYNTAX_ERROR",
					"KEYNOTIFY,k,get; SYNTAX_ERROR", "SET,NEX; WRONG_NUMBER_OF_ARGUMENTS",
					"KEYNOTIFY,k,GET,x; WRONG_NUMBER_OF_ARGUMENTS" })
	void refusesCommandsNotInSpecification(String elements, ErrorReason reason) {
		assertThatExceptionOfType(ProtocolException.class)
			.isThrownBy(() -> Commands.decode(Bytes.of(array(elements.split(",", -1))), ProtocolDialect.SPECIFICATION))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	private static Duration sentExpiry(Duration expiry) {
		Command.Set set = new Command.Set(Bytes.of("k"), Bytes.of("v"), Condition.ALWAYS, expiry);
		Command.Set read = (Command.Set) Commands.decode(Bytes.wrap(Commands.encode(set)));
		assertThat(read.expiry()).isNotNull();
		return read.expiry();
	}

	private static void assertRefusedElements(String elements, ErrorReason reason) {
		assertRefused(array(elements.split(",", -1)), reason);
	}

	private static void assertRefused(String payload, ErrorReason reason) {
		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> decode(payload))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	private static Command decode(String payload) {
		return Commands.decode(Bytes.of(payload));
	}

	private static String array(String... elements) {
		StringBuilder payload = new StringBuilder("*" + elements.length + "\r\n");
		for (String element : elements) {
			payload.append('$').append(Bytes.of(element).length()).append("\r\n").append(element).append("\r\n");
		}
		return payload.toString();
	}

}
