package io.statestore.broker;

import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.statestore.broker.PahoClient.Received;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ProtocolDialect;
import io.statestore.protocol.Topics;
import io.statestore.protocol.Version;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class StateStoreBrokerTests {

	@Test
	void answersOverMqtt() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				PahoClient client = PahoClient.of(broker, "b1")) {
			Received set = client.call("SET", "key", "value");
			assertThat(set.payload()).isEqualTo("+OK\r\n");
			assertThat(set.property("__stat")).isEqualTo("200");
			Received get = client.call("GET", "key");
			assertThat(get.payload()).isEqualTo("$5\r\nvalue\r\n");
			assertThat(get.property("__ts")).isEqualTo(set.property("__ts"));
			assertThat(Version.parse(set.property("__ts")).nodeId()).isEqualTo("StateStore");
			assertThat(client.call("SET", "key", "other", "NX").payload()).isEqualTo(":-1\r\n");
			assertThat(client.call("DEL", "key").payload()).isEqualTo(":1\r\n");
			assertThat(client.call("get", "key").payload()).isEqualTo("-ERR unknown command\r\n");
		}
	}

	/**
	 * The example in the protocol's articles. If the server answered in a later
	 * millisecond, it would return that millisecond; a timestamp slightly ahead prevents
	 * this.
	 */
	@Test
	void answersClientTimestampWithNextCounter() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				PahoClient client = PahoClient.of(broker, "b10")) {
			long now = System.currentTimeMillis();
			Received reply = client.callAt(now + ":0:CLIENT", "SET", "SETKEY2", "VALUE5");
			assertThat(reply.payload()).isEqualTo("+OK\r\n");
			Version version = Version.parse(reply.property("__ts"));
			assertThat(version).isEqualTo(new Version(version.wallMillis(), 1, "StateStore"));
			assertThat(version.wallMillis()).isBetween(now, System.currentTimeMillis());

			long ahead = System.currentTimeMillis() + 30_000;
			assertThat(client.callAt(ahead + ":0:CLIENT", "SET", "SETKEY2", "VALUE5").property("__ts"))
				.isEqualTo(ahead + ":1:StateStore");
		}
	}

	@Test
	void acknowledgesValidRequestWithSuccess() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				PahoClient client = PahoClient.of(broker, "b3")) {
			IMqttToken token = client.send(Topics.response("b3"), "GET", "key");
			token.waitForCompletion(5_000);
			assertThat(token.getReasonCodes()).containsExactly(0);
		}
	}

	@Test
	void notifiesWatcherOfChangesByOtherClients() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				PahoClient watcher = PahoClient.of(broker, "watcher");
				PahoClient writer = PahoClient.of(broker, "writer")) {
			assertThat(watcher.call("KEYNOTIFY", "key").payload()).isEqualTo("+OK\r\n");
			Received set = writer.call("SET", "key", "value", "PX", "100");
			Received change = PahoClient.next(watcher.notifications);
			assertThat(change.topic()).isEqualTo(Topics.notification("watcher", Bytes.of("key")));
			assertThat(change.payload()).isEqualTo("*4\r\n$6\r\nNOTIFY\r\n$3\r\nSET\r\n$5\r\nVALUE\r\n$5\r\nvalue\r\n");
			assertThat(change.property("__ts")).isEqualTo(set.property("__ts"));
			Received expiry = PahoClient.next(watcher.notifications);
			assertThat(expiry.payload()).isEqualTo("*2\r\n$6\r\nNOTIFY\r\n$6\r\nDELETE\r\n");
			assertThat(watcher.notifications).isEmpty();
		}
	}

	@Test
	void answersExtensions() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				PahoClient watcher = PahoClient.of(broker, "watcher");
				PahoClient writer = PahoClient.of(broker, "writer")) {
			assertThat(watcher.call("PNOTIFY", "a/*").payload()).isEqualTo("+OK\r\n");
			assertThat(watcher.call("PNOTIFY", "a/*").payload()).isEqualTo(":0\r\n");
			assertThat(watcher.call("PNOTIFY", "a/[").payload()).isEqualTo("-ERR syntax error\r\n");
			String version = writer.call("SET", "a/b", "1").property("__ts");
			Received change = PahoClient.next(watcher.notifications);
			assertThat(change.topic()).isEqualTo(Topics.notification("watcher", Bytes.of("a/b")));
			assertThat(change.property("__ts")).isEqualTo(version);
			Received replaced = writer.call("REPLACE", "a/b", "2", version, "PX", "3600000");
			assertThat(replaced.payload()).isEqualTo("+OK\r\n");
			assertThat(PahoClient.next(watcher.notifications).property("__ts")).isEqualTo(replaced.property("__ts"));
			Received refused = writer.call("REPLACE", "a/b", "3", version);
			assertThat(refused.payload()).isEqualTo("$1\r\n2\r\n");
			assertThat(refused.property("__ts")).isEqualTo(replaced.property("__ts"));
			assertThat(writer.call("REPLACE", "none", "3", version).payload()).isEqualTo(":0\r\n");
			assertThat(writer.call("REPLACE", "a/b", "3", "now").payload()).isEqualTo("-ERR malformed timestamp\r\n");
			assertThat(writer.call("TTL", "a/b").payload()).matches(":3(6000|59\\d\\d)\\d\\d\r\n");
			assertThat(writer.call("TTL", "none").payload()).isEqualTo("$-1\r\n");
			assertThat(watcher.call("PNOTIFY", "a/*", "STOP").payload()).isEqualTo("+OK\r\n");
			assertThat(watcher.call("PNOTIFY", "a/*", "STOP").payload()).isEqualTo(":0\r\n");
		}
	}

	@Test
	void endsWatchesWhenSessionIsTakenOver() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				PahoClient writer = PahoClient.of(broker, "writer");
				PahoClient before = PahoClient.of(broker, "watcher")) {
			before.call("KEYNOTIFY", "key");
			try (PahoClient after = new PahoClient("tcp://localhost:" + broker.port(), "watcher", false)) {
				assertThat(PahoClient.next(before.disconnects)).isEqualTo(0x8E);
				writer.call("SET", "key", "1");
				assertThat(after.call("KEYNOTIFY", "key", "STOP").payload()).isEqualTo(":0\r\n");
				assertThat(after.notifications).isEmpty();
				after.call("KEYNOTIFY", "key");
				writer.call("SET", "key", "2");
				assertThat(PahoClient.next(after.notifications).payload()).contains("2");
			}
		}
	}

	@Test
	void disconnectsClientWithReservedResponseTopic() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				PahoClient client = PahoClient.of(broker, "b4");
				PahoClient other = PahoClient.of(broker, "b5")) {
			client.send(Topics.REQUEST, "SET", "key", "value");
			assertThat(PahoClient.next(client.disconnects)).isGreaterThanOrEqualTo(0x80);
			assertThat(other.call("GET", "key").payload()).isEqualTo("$-1\r\n");
		}
	}

	@Test
	void repliesInSpecificationDialectIfConfigured() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.protocolDialect(ProtocolDialect.SPECIFICATION)
			.start(); PahoClient client = PahoClient.of(broker, "b6")) {
			client.call("SET", "key", "value");
			assertThat(client.call("SET", "key", "value", "NX").payload()).isEqualTo("-1\r\n");
		}
	}

	@Test
	void refusesKeyNotifyInSpecificationDialect() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.protocolDialect(ProtocolDialect.SPECIFICATION)
			.start(); PahoClient client = PahoClient.of(broker, "b9")) {
			assertRefused(client, "the key length is zero", "KEYNOTIFY", "");
			assertRefused(client, "the key length is zero", "KEYNOTIFY", "", "STOP");
			assertRefused(client, "syntax error", "KEYNOTIFY", "key", "START");
			assertRefused(client, "syntax error", "KEYNOTIFY", "k".repeat(Topics.MAX_WATCHABLE_KEY_LENGTH + 1));
			assertRefused(client, "wrong number of arguments", "KEYNOTIFY");
			assertThat(client.call("GET", "").payload()).isEqualTo("-ERR the key length is zero");
		}
	}

	private static void assertRefused(PahoClient client, String error, String... words) throws Exception {
		assertThat(client.call(words).payload()).as("%s", List.of(words)).isEqualTo("-ERR: " + error + "\r\n");
	}

	@Test
	void refusesKeysAboveQuota() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder()
			.limits((limits) -> limits.withMaxKeys(1).withMaxSize(10))
			.start(); PahoClient client = PahoClient.of(broker, "b7")) {
			assertThat(client.call("SET", "k", "12345678901").payload())
				.isEqualTo("-ERR the quota has been exceeded\r\n");
			assertThat(client.call("SET", "k", "123456789").payload()).isEqualTo("+OK\r\n");
			assertThat(client.call("SET", "l", "").payload()).isEqualTo("-ERR the quota has been exceeded\r\n");
		}
	}

	@Test
	void disconnectsClientsOnClose() throws Exception {
		StateStoreBroker broker = StateStoreBroker.builder().start();
		try (PahoClient client = PahoClient.of(broker, "b8")) {
			broker.close();
			assertThat(PahoClient.next(client.disconnects)).isEqualTo(0x8B);
			broker.close();
		}
	}

	@Test
	void errorNamesAddressInUse() throws Exception {
		try (ServerSocket taken = new ServerSocket(0)) {
			assertThatIllegalStateException()
				.isThrownBy(() -> StateStoreBroker.builder().port(taken.getLocalPort()).start())
				.withMessageContaining("localhost:" + taken.getLocalPort());
		}
	}

	static Stream<Arguments> invalidOptions() {
		return Stream.of(arguments("'port' must be 0 to 65535, but is -1", (builder) -> builder.port(-1)),
				arguments("'port' must be 0 to 65535, but is 65536", (builder) -> builder.port(65_536)),
				arguments("0.0.0.0, but is ' '", (builder) -> builder.host(" ")),
				arguments("0.0.0.0, but is 'a,b'", (builder) -> builder.host("a,b")),
				arguments("'user' must be a user name that is not empty", (builder) -> builder.account("", "x")),
				arguments("'password' must be a password that is not empty", (builder) -> builder.account("x", "")),
				arguments("'maxKeys' must be at least 1, but is 0",
						(builder) -> builder.limits((limits) -> limits.withMaxKeys(0))),
				arguments("'maxSize' must be at least 1, but is -5",
						(builder) -> builder.limits((limits) -> limits.withMaxSize(-5))),
				arguments("'maxPacketSize' must be 1024 to 268435455, but is 1023",
						(builder) -> builder.maxPacketSize(1023)),
				arguments("268435455, but is 268435456", (builder) -> builder.maxPacketSize(268_435_456)));
	}

	private static Arguments arguments(String message, Consumer<StateStoreBrokerBuilder> option) {
		return Arguments.of(message, option);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("invalidOptions")
	void refusesInvalidOption(String message, Consumer<StateStoreBrokerBuilder> option) {
		assertThatIllegalArgumentException().isThrownBy(() -> option.accept(StateStoreBroker.builder()))
			.withMessageContaining(message);
	}

	@Test
	void doesNotChangeLoggingConfiguration() {
		// Another test may be initializing SLF4J.
		await().until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
		LoggerContext logback = (LoggerContext) LoggerFactory.getILoggerFactory();
		Map<String, String> before = configuration(logback);
		java.util.logging.Handler[] handlers = java.util.logging.Logger.getLogger("").getHandlers();
		StateStoreBroker.builder().start().close();
		assertThat(LoggerFactory.getILoggerFactory()).isSameAs(logback);
		assertThat(configuration(logback)).isEqualTo(before);
		assertThat(java.util.logging.Logger.getLogger("").getHandlers()).containsExactly(handlers);
	}

	/** Returns the loggers that have a level or an appender. */
	private static Map<String, String> configuration(LoggerContext logback) {
		Map<String, String> result = new TreeMap<>();
		for (Logger logger : logback.getLoggerList()) {
			Level level = logger.getLevel();
			boolean appenders = logger.iteratorForAppenders().hasNext();
			if (level != null || appenders) {
				result.put(logger.getName(), level + " " + appenders);
			}
		}
		return result;
	}

}
