package io.statestore.client.mqtt.internal;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.mqtt.ConnectionListener;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Topics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@Timeout(30)
@Isolated("captures the log")
class MqttConnectionTests extends ConnectionFixture {

	@Test
	void isConnectedAndSubscribedWhenStartReturns() {
		MqttConnection connection = connection();
		new Calls(connection);
		connection.start();
		assertThat(connection.isRunning()).isTrue();
		assertThat(connection.isConnected()).isTrue();
		assertThat(this.broker.subscriptions).containsExactly(Topics.response("test"));
		assertThat(this.log.messages())
			.anyMatch((message) -> message.startsWith("Connected to " + url() + " as client test after "));
	}

	@Test
	void connectsWithCleanStartAndWithoutAliases() {
		connection(this.broker.options().keepAlive(Duration.ofSeconds(42)).username("u").password("p\u00e4ss")).start();
		MqttConnectMessage connect = this.broker.connects.element();
		assertThat(properties(connect).getProperty(MqttProperties.TOPIC_ALIAS_MAXIMUM)).isNull();
		assertThat(connect.variableHeader().isCleanSession()).isTrue();
		MqttProperty<?> expiry = properties(connect).getProperty(MqttProperties.SESSION_EXPIRY_INTERVAL);
		// Absent means 0.
		assertThat((expiry != null) ? expiry.value() : 0).isEqualTo(0);
		assertThat(connect.variableHeader().keepAliveTimeSeconds()).isEqualTo(42);
		assertThat(connect.variableHeader().version()).isEqualTo(5);
		assertThat(connect.payload().clientIdentifier()).isEqualTo("test");
		assertThat(connect.payload().userName()).isEqualTo("u");
		assertThat(connect.payload().passwordInBytes()).isEqualTo("p\u00e4ss".getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void readsAuthenticationDataForEachConnection() {
		AtomicInteger reads = new AtomicInteger();
		connection(this.broker.options()
			.authentication(
					new EnhancedAuthentication("K8S-SAT", () -> ("token" + reads.incrementAndGet()).getBytes())))
			.start();
		this.broker.drop();
		await("a new connection").until(() -> this.broker.connects.size() == 2);
		assertThat(this.broker.connects)
			.extracting((connect) -> properties(connect).getProperty(MqttProperties.AUTHENTICATION_METHOD).value())
			.containsExactly("K8S-SAT", "K8S-SAT");
		assertThat(this.broker.connects)
			.extracting((connect) -> new String(
					(byte[]) properties(connect).getProperty(MqttProperties.AUTHENTICATION_DATA).value()))
			.containsExactly("token1", "token2");
	}

	@Test
	void triesAgainAfterErrorDuringAttempt() {
		AtomicInteger attempts = new AtomicInteger();
		MqttConnection connection = connection(
				this.broker.options().authentication(new EnhancedAuthentication("K8S-SAT", () -> {
					if (attempts.incrementAndGet() == 1) {
						throw new NoClassDefFoundError("Missing");
					}
					return new byte[1];
				})));
		connection.start();
		assertThat(connection.isConnected()).isTrue();
		assertThat(this.log.contains("Missing")).isTrue();
	}

	@Test
	void startsWithoutBrokerAndLogsNextStep() {
		this.broker.stop();
		MqttConnection connection = connection(this.broker.options().startTimeout(Duration.ofMillis(200)));
		Calls calls = new Calls(connection);
		connection.start();
		assertThat(connection.isRunning()).isTrue();
		assertThat(connection.isConnected()).isFalse();
		await("the first failure").until(() -> this.log.contains("connection refused"));
		assertThat(this.log.messages()).anySatisfy((message) -> assertThat(message).contains(url())
			.contains("connection refused")
			.contains("statestore.host")
			.contains("statestore.port"));
		assertThat(this.log.contains("Startup continues without a connection to " + url())).isTrue();
		assertThatThrownBy(
				() -> calls.invoke(new Command.Get(Bytes.of("k")), new Options(null, false, Duration.ofMillis(50)))
					.get(10, TimeUnit.SECONDS))
			.hasCauseInstanceOf(StateStoreNotSentException.class)
			.hasMessageContaining("connection refused")
			.hasMessageContaining("statestore.host");
		this.broker.restart();
		await("the connection").until(connection::isConnected);
	}

	@Test
	void reportsUnknownHost() {
		connection(this.broker.options().host("no-such-host.invalid").startTimeout(Duration.ZERO)).start();
		await("the failure").until(() -> this.log.contains("unknown host"));
		assertThat(this.log.messages()).anySatisfy(
				(message) -> assertThat(message).contains("mqtt://no-such-host.invalid:").contains("statestore.host"));
	}

	@Test
	void reportsServerThatIsNoBroker() {
		this.broker.acceptConnections = false;
		connection(this.broker.options().startTimeout(Duration.ZERO)).start();
		await("the failure").until(() -> this.log.contains("is a port of an MQTT 5 broker"));
	}

	@Test
	void endsAttemptIfServerDoesNotAnswer() throws Exception {
		try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			connection(this.broker.options()
				.port(silent.getLocalPort())
				.connectTimeout(Duration.ofMillis(500))
				.startTimeout(Duration.ZERO)).start();
			try (Socket first = silent.accept()) {
				await("the failure").until(() -> this.log.contains("no answer in time"));
				// The client has closed the connection.
				byte[] connect = first.getInputStream().readAllBytes();
				assertThat(connect).isNotEmpty();
			}
		}
	}

	@Test
	void namesPropertiesIfLoginIsRefused() {
		this.broker.connectReturnCode = MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USERNAME_OR_PASSWORD;
		connection(this.broker.options().startTimeout(Duration.ZERO)).start();
		await("the failure").until(() -> this.log.contains("bad user name or password (0x86)"));
		assertThat(this.log.contains("statestore.username")).isTrue();
	}

	@Test
	void reconnectsAndLogsDuration() {
		MqttConnection connection = connection();
		List<String> events = new CopyOnWriteArrayList<>();
		connection.addListener(new ConnectionListener() {

			@Override
			public void connected(boolean reconnect) {
				events.add("connected " + reconnect);
			}

			@Override
			public void disconnected(String cause) {
				events.add("disconnected " + cause);
			}

		});
		new Calls(connection);
		connection.start();
		this.broker.stop();
		await("two failed attempts").until(() -> this.log.contains("attempt 2;"));
		this.broker.restart();
		await("the connection").until(connection::isConnected);
		await("all events").until(() -> events.size() == 3);
		assertThat(events).containsExactly("connected false", "disconnected the broker closed the connection",
				"connected true");
		assertThat(connection.status().reconnects()).isEqualTo(1);
		assertThat(this.log.messages())
			.anyMatch((message) -> message
				.matches("Lost connection to " + url() + " \\(the broker closed the connection\\)\\..*"))
			.anyMatch((message) -> message.matches("Reconnected to " + url() + " after \\d\\.\\d s, \\d+ attempts"));
		assertThat(this.broker.subscriptions).containsExactly(Topics.response("test"), Topics.response("test"));
	}

	@Test
	void failedListenerAffectsNoOther() {
		MqttConnection connection = connection();
		connection.addListener(new ConnectionListener() {

			@Override
			public void connected(boolean reconnect) {
				throw new IllegalStateException("listener");
			}

			@Override
			public void disconnected(String cause) {
				throw new AssertionError("listener");
			}

		});
		connection.start();
		this.broker.drop();
		await("a new connection").until(() -> this.broker.connects.size() == 2 && connection.isConnected());
	}

	@Test
	void reconnectsAfterErrorWhenConnected() {
		AtomicInteger connected = new AtomicInteger();
		List<String> causes = new CopyOnWriteArrayList<>();
		ConnectionSupervisor supervisor = new ConnectionSupervisor(this.broker.options().build(),
				new ConnectionSupervisor.Events() {

					@Override
					public Link open(Link.Attempt attempt) {
						return new Link(attempt, (publish) -> true);
					}

					@Override
					public CompletableFuture<Void> prepare(Link link) {
						return CompletableFuture.completedFuture(null);
					}

					@Override
					public void connected(Link link, boolean reconnect) {
						if (connected.incrementAndGet() == 1) {
							throw new OutOfMemoryError("unable to create native thread");
						}
					}

					@Override
					public void disconnected(String cause) {
						causes.add(cause);
					}

				}, System::nanoTime, null);
		supervisor.start();
		try {
			await("another connection").until(() -> connected.get() == 2);
			assertThat(causes).containsExactly("unable to create native thread");
		}
		finally {
			supervisor.stop();
		}
	}

	@Test
	void detectsSilentBroker() {
		MqttConnection connection = connection(this.broker.options().keepAlive(Duration.ofSeconds(1)));
		connection.start();
		this.broker.answerPings = false;
		await("the loss").until(() -> this.log.contains("Lost connection"));
		this.broker.answerPings = true;
		await("the connection").until(connection::isConnected);
	}

	@Test
	void keepsIdleConnection() throws Exception {
		connection(this.broker.options().keepAlive(Duration.ofSeconds(1))).start();
		AtomicInteger reads = this.broker.reads;
		int before = reads.get();
		await("two pings").until(() -> reads.get() >= before + 2);
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void describesItself() {
		MqttConnection connection = connection();
		assertThat(connection.getUrl()).isEqualTo(url());
		assertThat(connection.getClientId()).isEqualTo("test");
	}

}
