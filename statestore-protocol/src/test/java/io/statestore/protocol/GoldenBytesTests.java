package io.statestore.protocol;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.statestore.protocol.Command.Condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Encoded messages byte by byte (protocol sections 2, 3, and 6). */
class GoldenBytesTests {

	private static final Bytes KEY = Bytes.of("SETKEY2");

	private static final Bytes VALUE = Bytes.of("VALUE5");

	private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

	@ParameterizedTest
	@MethodSource("commands")
	void encodesAndDecodesCommands(Command command, String wire) {
		assertThat(text(Commands.encode(command))).isEqualTo(wire);
		assertThat(Commands.decode(bytes(wire))).isEqualTo(command);
	}

	static Stream<Arguments> commands() {
		return Stream.of(arguments(new Command.Set(KEY, VALUE), "*3\r\n$3\r\nSET\r\n$7\r\nSETKEY2\r\n$6\r\nVALUE5\r\n"),
				arguments(new Command.Set(KEY, VALUE, Condition.IF_ABSENT, null),
						"*4\r\n$3\r\nSET\r\n$7\r\nSETKEY2\r\n$6\r\nVALUE5\r\n$2\r\nNX\r\n"),
				arguments(new Command.Set(KEY, VALUE, Condition.IF_ABSENT_OR_EQUAL, null),
						"*4\r\n$3\r\nSET\r\n$7\r\nSETKEY2\r\n$6\r\nVALUE5\r\n$3\r\nNEX\r\n"),
				arguments(new Command.Set(KEY, VALUE, Condition.ALWAYS, Duration.ofMillis(1)),
						"*5\r\n$3\r\nSET\r\n$7\r\nSETKEY2\r\n$6\r\nVALUE5\r\n$2\r\nPX\r\n$1\r\n1\r\n"),
				arguments(new Command.Set(KEY, VALUE, Condition.IF_ABSENT, TEN_SECONDS),
						"*6\r\n$3\r\nSET\r\n$7\r\nSETKEY2\r\n$6\r\nVALUE5\r\n$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n10000\r\n"),
				arguments(new Command.Set(KEY, VALUE, Condition.IF_ABSENT_OR_EQUAL, TEN_SECONDS),
						"*6\r\n$3\r\nSET\r\n$7\r\nSETKEY2\r\n$6\r\nVALUE5\r\n$3\r\nNEX\r\n$2\r\nPX\r\n$5\r\n10000\r\n"),
				arguments(new Command.Set(KEY, Bytes.EMPTY), "*3\r\n$3\r\nSET\r\n$7\r\nSETKEY2\r\n$0\r\n\r\n"),
				arguments(new Command.Set(Bytes.of("a/+#\0\r\nb"), Bytes.of("$1\r\nx\r\n")),
						"*3\r\n$3\r\nSET\r\n$8\r\na/+#\0\r\nb\r\n$7\r\n$1\r\nx\r\n\r\n"),
				arguments(new Command.Set(Bytes.of("\u00e4"), Bytes.of("\u20ac")),
						"*3\r\n$3\r\nSET\r\n$2\r\n\u00e4\r\n$3\r\n\u20ac\r\n"),
				arguments(new Command.Get(KEY), "*2\r\n$3\r\nGET\r\n$7\r\nSETKEY2\r\n"),
				arguments(new Command.Del(KEY), "*2\r\n$3\r\nDEL\r\n$7\r\nSETKEY2\r\n"),
				arguments(new Command.VDel(KEY, VALUE), "*3\r\n$4\r\nVDEL\r\n$7\r\nSETKEY2\r\n$6\r\nVALUE5\r\n"),
				arguments(new Command.KeyNotify(KEY), "*2\r\n$9\r\nKEYNOTIFY\r\n$7\r\nSETKEY2\r\n"),
				arguments(new Command.KeyNotifyStop(KEY), "*3\r\n$9\r\nKEYNOTIFY\r\n$7\r\nSETKEY2\r\n$4\r\nSTOP\r\n"),
				arguments(new Command.Scan(Bytes.of("a*[!b]?"), null), "*2\r\n$4\r\nSCAN\r\n$7\r\na*[!b]?\r\n"),
				arguments(new Command.Scan(Bytes.of("*"), Bytes.of("\r\n\0")),
						"*3\r\n$4\r\nSCAN\r\n$1\r\n*\r\n$3\r\n\r\n\0\r\n"));
	}

	@ParameterizedTest
	@MethodSource("commandsOfTheArticles")
	void decodesCommandsInSpecificationDialectOnly(Command command, String wire) {
		assertThat(Commands.decode(bytes(wire), ProtocolDialect.SPECIFICATION)).isEqualTo(command);
		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> Commands.decode(bytes(wire)));
	}

	static Stream<Arguments> commandsOfTheArticles() {
		return Stream.of(arguments(new Command.Set(KEY, VALUE), "*3\r\n$3\r\nset\r\n$7\r\nSETKEY2\r\n$6\r\nVALUE5\r\n"),
				arguments(new Command.Get(KEY), "*2\r\n$3\r\nget\r\n$7\r\nSETKEY2\r\n"),
				arguments(new Command.Del(KEY), "*2\r\n$3\r\ndel\r\n$7\r\nSETKEY2\r\n"),
				arguments(new Command.VDel(KEY, Bytes.of("ABC")), "*3\r\n$4\r\nvdel\r\n$7\r\nSETKEY2\r\n$3\r\nABC\r\n"),
				arguments(new Command.KeyNotify(KEY), "*3\r\n$9\r\nKEYNOTIFY\r\n$7\r\nSETKEY2\r\n$3\r\nGET\r\n"),
				arguments(new Command.Set(KEY, VALUE, Condition.IF_ABSENT_OR_EQUAL, TEN_SECONDS),
						"*7\r\n$3\r\nSET\r\n$7\r\nSETKEY2\r\n$6\r\nVALUE5\r\n$3\r\nNEX\r\n$6\r\nVALUE5\r\n$2\r\nPX\r\n$5\r\n10000\r\n"),
				arguments(new Command.Set(KEY, VALUE, Condition.IF_ABSENT_OR_EQUAL, null, Bytes.of("PX")),
						"*5\r\n$3\r\nSET\r\n$7\r\nSETKEY2\r\n$6\r\nVALUE5\r\n$3\r\nNEX\r\n$2\r\nPX\r\n"));
	}

	@ParameterizedTest
	@MethodSource("replies")
	void encodesAndDecodesReplies(Reply reply, String wire) {
		assertThat(text(Replies.encode(reply))).isEqualTo(wire);
		assertThat(Replies.decode(bytes(wire))).isEqualTo(reply);
	}

	static Stream<Arguments> replies() {
		return Stream.of(arguments(new Reply.Ok(), "+OK\r\n"), arguments(Reply.Count.NOT_APPLIED, ":-1\r\n"),
				arguments(new Reply.Count(0), ":0\r\n"), arguments(new Reply.Count(1), ":1\r\n"),
				arguments(new Reply.Count(Long.MIN_VALUE), ":-9223372036854775808\r\n"),
				arguments(new Reply.Value(Bytes.of("1234")), "$4\r\n1234\r\n"),
				arguments(new Reply.Value(Bytes.EMPTY), "$0\r\n\r\n"), arguments(new Reply.Missing(), "$-1\r\n"),
				arguments(new Reply.Error(ErrorReason.SYNTAX_ERROR), "-ERR syntax error\r\n"),
				arguments(new Reply.Page(List.of(), null), "*1\r\n*0\r\n"),
				arguments(new Reply.Page(List.of(Bytes.of("k1"), Bytes.of("key2")), null),
						"*1\r\n*2\r\n$2\r\nk1\r\n$4\r\nkey2\r\n"),
				arguments(new Reply.Page(List.of(Bytes.of("k1")), Bytes.of("\0t")),
						"*2\r\n*1\r\n$2\r\nk1\r\n$2\r\n\0t\r\n"),
				arguments(new Reply.Page(List.of(), Bytes.of("t")), "*2\r\n*0\r\n$1\r\nt\r\n"));
	}

	@ParameterizedTest
	@MethodSource("repliesToTheLetterOfTheArticles")
	void encodesAndDecodesRepliesInSpecificationDialect(Reply reply, String wire) {
		assertThat(text(Replies.encode(reply, ProtocolDialect.SPECIFICATION))).isEqualTo(wire);
		assertThat(Replies.decode(bytes(wire))).isEqualTo(reply);
	}

	static Stream<Arguments> repliesToTheLetterOfTheArticles() {
		return Stream.of(arguments(new Reply.Ok(), "+OK\r\n"), arguments(Reply.Count.NOT_APPLIED, "-1\r\n"),
				arguments(new Reply.Count(0), ":0\r\n"), arguments(new Reply.Count(1), ":1\r\n"),
				arguments(new Reply.Value(Bytes.of("1234")), "$4\r\n1234\r\n"),
				arguments(new Reply.Value(Bytes.EMPTY), "$0\r\n\r\n"), arguments(new Reply.Missing(), "$-1\r\n"),
				arguments(new Reply.Error(ErrorReason.QUOTA_EXCEEDED), "-ERR the quota has been exceeded"),
				arguments(new Reply.Page(List.of(Bytes.of("k")), null), "*1\r\n*1\r\n$1\r\nk\r\n"));
	}

	@ParameterizedTest
	@CsvSource({ "CLIENTS,KEYNOTIFY,-ERR not authorized", "SPECIFICATION,KEYNOTIFY,-ERR: not authorized",
			"SPECIFICATION,keynotify,-ERR: not authorized" })
	void encodesAndDecodesKeyNotifyErrors(ProtocolDialect form, String verb, String line) {
		Reply.Error error = new Reply.Error(ErrorReason.NOT_AUTHORIZED);
		String wire = line + "\r\n";
		Bytes request = bytes("*2\r\n$9\r\n" + verb + "\r\n$1\r\nk\r\n");
		assertThat(text(Replies.encode(error, request, form))).isEqualTo(wire);
		assertThat(Replies.decode(bytes(wire))).isEqualTo(error);
	}

	@ParameterizedTest
	@MethodSource("errors")
	void encodesAndDecodesErrors(ErrorReason reason, String wire) {
		assertThat(text(Replies.encode(new Reply.Error(reason)))).isEqualTo(wire);
		assertThat(Replies.decode(bytes(wire))).isEqualTo(new Reply.Error(reason));
	}

	static Stream<Arguments> errors() {
		return Stream.of(arguments(ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE,
				"-ERR the request timestamp is too far in the future; ensure that the client and broker system clocks are synchronized\r\n"),
				arguments(ErrorReason.FENCING_TOKEN_REQUIRED, "-ERR a fencing token is required for this request\r\n"),
				arguments(ErrorReason.FENCING_TOKEN_TOO_FAR_IN_FUTURE,
						"-ERR the request fencing token timestamp is too far in the future; ensure that the client and broker system clocks are synchronized\r\n"),
				arguments(ErrorReason.FENCING_TOKEN_LOWER_VERSION,
						"-ERR the request fencing token is a lower version than the fencing token protecting the resource\r\n"),
				arguments(ErrorReason.QUOTA_EXCEEDED, "-ERR the quota has been exceeded\r\n"),
				arguments(ErrorReason.SYNTAX_ERROR, "-ERR syntax error\r\n"),
				arguments(ErrorReason.NOT_AUTHORIZED, "-ERR not authorized\r\n"),
				arguments(ErrorReason.UNKNOWN_COMMAND, "-ERR unknown command\r\n"),
				arguments(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS, "-ERR wrong number of arguments\r\n"),
				arguments(ErrorReason.MISSING_TIMESTAMP, "-ERR missing timestamp\r\n"),
				arguments(ErrorReason.MALFORMED_TIMESTAMP, "-ERR malformed timestamp\r\n"),
				arguments(ErrorReason.KEY_LENGTH_ZERO, "-ERR the key length is zero\r\n"));
	}

	@ParameterizedTest
	@MethodSource("notifications")
	void encodesAndDecodesNotifications(Notification notification, ProtocolDialect form, String wire) {
		assertThat(text(Notifications.encode(notification, form))).isEqualTo(wire);
		assertThat(Notifications.decode(bytes(wire))).isEqualTo(notification);
	}

	static Stream<Arguments> notifications() {
		Notification set = new Notification.Set(Bytes.of("abc"));
		String setWire = "*4\r\n$6\r\nNOTIFY\r\n$3\r\nSET\r\n$5\r\nVALUE\r\n$3\r\nabc\r\n";
		return Stream.of(arguments(set, ProtocolDialect.CLIENTS, setWire),
				arguments(set, ProtocolDialect.SPECIFICATION, setWire),
				arguments(new Notification.Set(Bytes.EMPTY), ProtocolDialect.CLIENTS,
						"*4\r\n$6\r\nNOTIFY\r\n$3\r\nSET\r\n$5\r\nVALUE\r\n$0\r\n\r\n"),
				arguments(new Notification.Delete(), ProtocolDialect.CLIENTS, "*2\r\n$6\r\nNOTIFY\r\n$6\r\nDELETE\r\n"),
				arguments(new Notification.Delete(), ProtocolDialect.SPECIFICATION,
						"*2\r\n$6\r\nNOTIFY\r\n$3\r\nDEL\r\n"));
	}

	private static Bytes bytes(String wire) {
		return Bytes.wrap(wire.getBytes(StandardCharsets.UTF_8));
	}

	private static String text(byte[] wire) {
		return new String(wire, StandardCharsets.UTF_8);
	}

}
