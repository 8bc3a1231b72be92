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
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** Messages for invalid configuration and arguments. */
@ExtendWith(OutputCaptureExtension.class)
@Isolated("captures the log")
class BadInputTests {

	private static final StateStoreBroker broker = start();

	private static final ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
		.web(WebApplicationType.NONE)
		.properties("statestore.port=" + broker.port(), "statestore.username=anna", "statestore.password=secret",
				"statestore.start-timeout=20s")
		.run();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.port=" + broker.port())
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, JacksonAutoConfiguration.class,
				EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class));

	private static StateStoreBroker start() {
		return StateStoreBroker.builder()
			.account("anna", "secret")
			.limits((limits) -> limits.withMaxSize(100_000))
			.maxPacketSize(1_000_000)
			.start();
	}

	@AfterAll
	static void close() {
		application.close();
		broker.close();
	}

	@Test
	void namesPortThatRefusesConnections(CapturedOutput output) throws Exception {
		int port;
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			port = socket.getLocalPort();
		}
		notSent(output, "connection refused", "statestore.port=" + port).hasMessageContainingAll("localhost:" + port,
				"connection refused", "statestore.port");
		assertThat(output).contains("localhost:" + port, "connection refused", "statestore.port");
	}

	@Test
	void namesUnknownHost(CapturedOutput output) {
		notSent(output, "unknown host", "statestore.host=nowhere.invalid").hasMessageContainingAll("nowhere.invalid",
				"unknown host", "statestore.host");
		assertThat(output).contains("nowhere.invalid", "unknown host");
	}

	@Test
	void namesPropertiesWhenLoginIsRefused(CapturedOutput output) {
		notSent(output, "the broker refused the login", "statestore.username=anna", "statestore.password=0pen-5esame")
			.hasMessageContainingAll("the broker refused the login", "statestore.username", "statestore.password");
		assertThat(output).doesNotContain("0pen-5esame");
	}

	@Test
	void mentionsTlsIfPortDoesNotUseIt(CapturedOutput output) {
		notSent(output, "TLS", "statestore.ssl.enabled=true", "statestore.connect-timeout=500ms")
			.hasMessageContaining("TLS");
	}

	/** Returns the failure of a call made after the first connection attempt. */
	private AbstractThrowableAssert<?, ?> notSent(CapturedOutput output, String diagnosis, String... properties) {
		Throwable[] failure = new Throwable[1];
		this.contextRunner.withPropertyValues("statestore.start-timeout=0s", "statestore.request-timeout=100ms")
			.withPropertyValues(properties)
			.run((context) -> {
				StateStoreOperations store = context.getBean(StateStoreOperations.class);
				await("the diagnosis").until(() -> {
					failure[0] = catchThrowable(() -> store.get("key", String.class));
					return output.toString().contains(diagnosis) && failure[0] != null
							&& failure[0].toString().contains(diagnosis);
				});
			});
		return assertThat(failure[0]).isInstanceOf(StateStoreNotSentException.class);
	}

	@Test
	void namesPropertyWhenPortIsNotNumber() {
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
	void readsAndWritesFortyKilobyteKey() {
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
	void refusesValueLargerThanBrokerPacket() {
		failure((store) -> store.set("key", new byte[2_000_000])).isInstanceOf(StateStoreInvalidRequestException.class)
			.hasMessageContaining("1000000");
	}

	@Test
	void reportsFullStore() {
		failure((store) -> store.set("key", new byte[200_000])).isInstanceOf(StateStoreRefusedException.class)
			.hasMessageContainingAll("quota", "full");
	}

	@Test
	void reportsValueOfUnexpectedType() {
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

	private static AbstractThrowableAssert<?, ?> failure(Consumer<StateStoreOperations> call) {
		return assertThat(catchThrowable(() -> call.accept(application.getBean(StateStoreOperations.class))));
	}

	private static void withStore(Consumer<StateStoreOperations> test) {
		test.accept(application.getBean(StateStoreOperations.class));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ JacksonAutoConfiguration.class, StateStoreAutoConfiguration.class })
	static class Application {

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
