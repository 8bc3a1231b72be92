package io.statestore.boot;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.function.Consumer;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.StateStoreConversionException;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.StateStoreConnection;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Messages for invalid configuration and arguments. */
@ExtendWith(OutputCaptureExtension.class)
class BadInputTests {

	private static final StateStoreBroker broker = start();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.port=" + broker.port(), "statestore.request-timeout=2s",
				"statestore.start-timeout=2s")
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

	private static StateStoreBroker start() {
		return StateStoreBroker.builder().account("anna", "secret").maxBytes(100_000).maxPacketSize(1_000_000).start();
	}

	@AfterAll
	static void close() {
		broker.close();
	}

	@Test
	void namesPortThatRefusesConnections(CapturedOutput output) throws Exception {
		int port;
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			port = socket.getLocalPort();
		}
		this.contextRunner.withPropertyValues("statestore.port=" + port).run((context) -> {
			assertThatThrownBy(() -> context.getBean(StateStoreOperations.class).get("key", String.class))
				.isInstanceOf(StateStoreNotSentException.class)
				.hasMessageContainingAll("localhost:" + port, "connection refused", "statestore.port");
			assertThat(output).contains("localhost:" + port, "connection refused", "statestore.port");
		});
	}

	@Test
	void namesUnknownHost(CapturedOutput output) {
		this.contextRunner.withPropertyValues("statestore.host=nowhere.invalid").run((context) -> {
			assertThatThrownBy(() -> context.getBean(StateStoreOperations.class).get("key", String.class))
				.isInstanceOf(StateStoreNotSentException.class)
				.hasMessageContainingAll("nowhere.invalid", "unknown host", "statestore.host");
			assertThat(output).contains("nowhere.invalid", "unknown host");
		});
	}

	@Test
	void namesPropertiesOfRefusedLogin(CapturedOutput output) {
		this.contextRunner.withPropertyValues("statestore.username=anna", "statestore.password=0pen-5esame")
			.run((context) -> {
				assertThatThrownBy(() -> context.getBean(StateStoreOperations.class).get("key", String.class))
					.isInstanceOf(StateStoreNotSentException.class)
					.hasMessageContainingAll("the broker refused the login", "statestore.username",
							"statestore.password");
				assertThat(output).doesNotContain("0pen-5esame");
			});
	}

	@Test
	void mentionsTlsIfPortDoesNotUseIt() {
		this.contextRunner.withPropertyValues("statestore.ssl.enabled=true", "statestore.connect-timeout=500ms")
			.run((context) -> assertThatThrownBy(
					() -> context.getBean(StateStoreOperations.class).get("key", String.class))
				.isInstanceOf(StateStoreNotSentException.class)
				.hasMessageContaining("TLS"));
	}

	@Test
	void namesPropertyOfPortThatIsNoNumber() {
		this.contextRunner.withPropertyValues("statestore.port=mqtt")
			.run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining("statestore.port"));
	}

	@Test
	void refusesEmptyKey() {
		failure((store) -> store.get("", String.class)).isInstanceOf(IllegalArgumentException.class)
			.hasMessageContainingAll("'key'", "at least one");
	}

	@Test
	void refusesNullValue() {
		failure((store) -> store.set("key", nothing())).isInstanceOf(IllegalArgumentException.class)
			.hasMessageContainingAll("'value'", "delete");
	}

	@Test
	void refusesZeroExpiry() {
		failure((store) -> store.set("key", "value", (spec) -> spec.expire(Duration.ZERO)))
			.isInstanceOf(IllegalArgumentException.class)
			.hasMessageContainingAll("expire", "delete");
	}

	@Test
	void refusesNegativeExpiry() {
		failure((store) -> store.set("key", "value", (spec) -> spec.expire(Duration.ofSeconds(-1))))
			.isInstanceOf(IllegalArgumentException.class)
			.hasMessageContaining("expire");
	}

	@Test
	void refusesTwoConditions() {
		failure((store) -> store.set("key", "value", (spec) -> spec.ifAbsent().ifAbsentOrEqual()))
			.isInstanceOf(IllegalStateException.class)
			.hasMessageContainingAll("ifAbsent()", "ifAbsentOrEqual()");
	}

	@Test
	void readsAndWritesKeyOfFortyKilobytes() {
		String key = "k".repeat(40_000);
		withStore((store) -> {
			store.set(key, "value");
			assertThat(store.get(key, String.class)).isPresent();
			assertThat(store.delete(key).deleted()).isTrue();
		});
	}

	@Test
	void refusesKeyLargerThanPacket() {
		failure((store) -> store.get("k".repeat(2_000_000), String.class)).isInstanceOf(StateStoreException.class)
			.hasMessageContaining("1000000");
	}

	@Test
	void refusesValueLargerThanPacketOfBroker() {
		failure((store) -> store.set("key", new byte[2_000_000])).isInstanceOf(StateStoreInvalidRequestException.class)
			.hasMessageContaining("1000000");
	}

	@Test
	void refusesValueLargerThanAnyPacket() {
		byte[] value = new byte[300_000_000];
		failure((store) -> store.set("key", value)).isInstanceOf(StateStoreInvalidRequestException.class)
			.hasMessageContainingAll("'key'", "300000000");
	}

	@Test
	void reportsFullStore() {
		failure((store) -> store.set("key", new byte[200_000])).isInstanceOf(StateStoreRefusedException.class)
			.hasMessageContainingAll("quota", "full");
	}

	@Test
	void reportsValueOfOtherType() {
		withStore((store) -> {
			store.set("text", "top secret");
			assertThatThrownBy(() -> store.get("text", Integer.class)).isInstanceOf(StateStoreConversionException.class)
				.hasMessageContainingAll("'text'", "java.lang.Integer")
				.hasMessageNotContaining("top secret");
		});
	}

	@Test
	void reportsValueThatCannotBeConverted() {
		failure((store) -> store.set("key", new Broken())).isInstanceOf(StateStoreConversionException.class)
			.hasMessageContainingAll("'key'", "Broken");
	}

	@Test
	void refusesNullPattern() {
		failure((store) -> store.scan(nothing()).forEach((Key key) -> {
		})).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'pattern'");
	}

	private AbstractThrowableAssert<?, ?> failure(Consumer<StateStoreOperations> call) {
		Throwable[] failure = new Throwable[1];
		withStore((store) -> failure[0] = catchThrowable(() -> call.accept(store)));
		return assertThat(failure[0]);
	}

	private void withStore(Consumer<StateStoreOperations> test) {
		this.contextRunner.withPropertyValues("statestore.username=anna", "statestore.password=secret")
			.run((context) -> {
				assertThat(context.getBean(StateStoreConnection.class).isConnected()).isTrue();
				test.accept(context.getBean(StateStoreOperations.class));
			});
	}

	static class Broken {

		public String getState() {
			throw new IllegalStateException("broken");
		}

	}

	@SuppressWarnings({ "NullAway", "TypeParameterUnusedInFormals" })
	private static <T> T nothing() {
		return null;
	}

}
