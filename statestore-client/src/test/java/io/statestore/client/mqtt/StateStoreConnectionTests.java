package io.statestore.client.mqtt;

import io.statestore.client.mqtt.link.LinkResources;
import io.statestore.client.mqtt.link.Link;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.MqttProperty;
import io.netty.handler.codec.mqtt.MqttProperties.MqttPropertyType;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.mqtt.ConnectionOptions.EnhancedAuthentication;
import io.statestore.client.mqtt.TestedTransport.PahoOnly;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Topics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@Timeout(30)
class StateStoreConnectionTests {

	private final FakeBroker broker = new FakeBroker();

	private final CapturedLog log = new CapturedLog();

	private final List<StateStoreConnection> connections = new ArrayList<>();

	/** What other tests of this JVM have left to end by itself is not ours. */
	private final Set<Thread> earlier = Thread.getAllStackTraces().keySet();

	@AfterEach
	void close() {
		this.connections.forEach(StateStoreConnection::close);
		this.broker.close();
		this.log.close();
	}

	private StateStoreConnection connection() {
		return connection(this.broker.options());
	}

	private StateStoreConnection connection(ConnectionOptions.Builder options) {
		StateStoreConnection connection = new StateStoreConnection(options.build());
		this.connections.add(connection);
		return connection;
	}

	private String url() {
		return "mqtt://127.0.0.1:" + this.broker.port();
	}

	private static MqttProperties properties(MqttConnectMessage connect) {
		return connect.variableHeader().properties();
	}

	private List<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("MQTT ") || thread.getName().startsWith("statestore-"))
			.filter((thread) -> !this.earlier.contains(thread))
			.toList();
	}

	/** Apart from threads that end by themselves once idle. */
	private void awaitNoThreads() {
		try {
			await("the end of all threads").until(() -> threads().stream()
				.allMatch((thread) -> thread.getName().matches("statestore-(reply|timer|listener).*")));
		}
		catch (AssertionError ex) {
			threads().forEach((thread) -> ex.addSuppressed(stackOf(thread)));
			throw ex;
		}
	}

	private static Throwable stackOf(Thread thread) {
		Throwable result = new IllegalStateException(thread.toString());
		result.setStackTrace(thread.getStackTrace());
		return result;
	}

	@Test
	void isConnectedAndSubscribedWhenStartReturns() {
		StateStoreConnection connection = connection();
		new MqttCommandInvoker(connection);
		connection.start();
		assertThat(connection.isRunning()).isTrue();
		assertThat(connection.isConnected()).isTrue();
		assertThat(this.broker.subscriptions).containsExactly(Topics.response("test"));
		assertThat(this.log.messages())
			.anyMatch((message) -> message.startsWith("Connected to " + url() + " as client test after "));
	}

	// Trap: aliases announced to the server lose topics and then the connection.
	@Test
	void theConnectPacketAsksForAPlainCleanConnection() {
		connection(this.broker.options().keepAlive(Duration.ofSeconds(42)).username("u").password("p\u00e4ss")).start();
		MqttConnectMessage connect = this.broker.connects.element();
		assertThat(properties(connect).getProperty(MqttPropertyType.TOPIC_ALIAS_MAXIMUM.value())).isNull();
		assertThat(connect.variableHeader().isCleanSession()).isTrue();
		MqttProperty<?> expiry = properties(connect).getProperty(MqttPropertyType.SESSION_EXPIRY_INTERVAL.value());
		// Left out, it is 0.
		assertThat((expiry != null) ? expiry.value() : 0).isEqualTo(0);
		assertThat(connect.variableHeader().keepAliveTimeSeconds()).isEqualTo(42);
		assertThat(connect.variableHeader().version()).isEqualTo(5);
		assertThat(connect.payload().clientIdentifier()).isEqualTo("test");
		assertThat(connect.payload().userName()).isEqualTo("u");
		assertThat(connect.payload().passwordInBytes()).isEqualTo("p\u00e4ss".getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void authenticationDataIsReadAgainForEachConnection() {
		AtomicInteger reads = new AtomicInteger();
		connection(this.broker.options()
			.authentication(
					new EnhancedAuthentication("K8S-SAT", () -> ("token" + reads.incrementAndGet()).getBytes())))
			.start();
		this.broker.drop();
		await("a new connection").until(() -> this.broker.connects.size() == 2);
		assertThat(this.broker.connects).extracting(
				(connect) -> properties(connect).getProperty(MqttPropertyType.AUTHENTICATION_METHOD.value()).value())
			.containsExactly("K8S-SAT", "K8S-SAT");
		assertThat(this.broker.connects)
			.extracting((connect) -> new String(
					(byte[]) properties(connect).getProperty(MqttPropertyType.AUTHENTICATION_DATA.value()).value()))
			.containsExactly("token1", "token2");
	}

	@Test
	void anErrorDuringAnAttemptIsFollowedByAnotherAttempt() {
		AtomicInteger attempts = new AtomicInteger();
		StateStoreConnection connection = connection(
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
	void withoutBrokerTheApplicationStartsAndSaysWhatToCheck() {
		this.broker.stop();
		StateStoreConnection connection = connection(this.broker.options().startTimeout(Duration.ofMillis(200)));
		MqttCommandInvoker invoker = new MqttCommandInvoker(connection);
		connection.start();
		assertThat(connection.isRunning()).isTrue();
		assertThat(connection.isConnected()).isFalse();
		assertThat(this.log.messages()).anySatisfy((message) -> assertThat(message).contains(url())
			.contains("connection refused")
			.contains("statestore.host")
			.contains("statestore.port"));
		assertThat(this.log.contains("Startup continues without a connection to " + url())).isTrue();
		assertThatThrownBy(
				() -> invoker.invoke(new Command.Get(Bytes.of("k")), new Options(null, false, Duration.ofMillis(50)))
					.get(10, TimeUnit.SECONDS))
			.hasCauseInstanceOf(StateStoreNotSentException.class)
			.hasMessageContaining("connection refused")
			.hasMessageContaining("statestore.host");
		this.broker.restart();
		await("the connection").until(connection::isConnected);
	}

	@Test
	void anUnknownHostIsNamed() {
		connection(this.broker.options().host("no-such-host.invalid").startTimeout(Duration.ofMillis(300))).start();
		await("the failure").until(() -> this.log.contains("unknown host"));
		assertThat(this.log.messages()).anySatisfy(
				(message) -> assertThat(message).contains("mqtt://no-such-host.invalid:").contains("statestore.host"));
	}

	@Test
	void aServerThatIsNoBrokerIsNamed() {
		this.broker.acceptConnections = false;
		connection(this.broker.options().startTimeout(Duration.ofMillis(300))).start();
		await("the failure").until(() -> this.log.contains("is a port of an MQTT 5 broker"));
	}

	@Test
	void aServerThatNeverAnswersIsGivenUp() throws Exception {
		try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			connection(this.broker.options()
				.port(silent.getLocalPort())
				.connectTimeout(Duration.ofMillis(500))
				.startTimeout(Duration.ZERO)).start();
			try (Socket first = silent.accept()) {
				await("the failure").until(() -> this.log.contains("no answer in time"));
				// Our side has hung up.
				byte[] connect = first.getInputStream().readAllBytes();
				assertThat(connect).isNotEmpty();
			}
		}
	}

	@Test
	void wrongCredentialsNameTheProperties() {
		this.broker.connectReturnCode = MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USERNAME_OR_PASSWORD;
		connection(this.broker.options().startTimeout(Duration.ofMillis(500))).start();
		await("the failure").until(() -> this.log.contains("bad user name or password (0x86)"));
		assertThat(this.log.contains("statestore.username")).isTrue();
	}

	@Test
	void reconnectsAndTellsHowLongItTook() {
		StateStoreConnection connection = connection();
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
		new MqttCommandInvoker(connection);
		connection.start();
		this.broker.stop();
		await("two failed attempts").until(() -> this.log.contains("attempt 2;"));
		this.broker.restart();
		await("the connection").until(connection::isConnected);
		await("all events").until(() -> events.size() == 3);
		assertThat(events).containsExactly("connected false", "disconnected the broker closed the connection",
				"connected true");
		assertThat(this.log.messages())
			.anyMatch((message) -> message
				.matches("Lost connection to " + url() + " \\(the broker closed the connection\\)\\..*"))
			.anyMatch((message) -> message.matches("Reconnected to " + url() + " after \\d\\.\\d s, \\d+ attempts"));
		assertThat(this.broker.subscriptions).containsExactly(Topics.response("test"), Topics.response("test"));
	}

	@Test
	void aListenerThatThrowsHarmsNobody() {
		StateStoreConnection connection = connection();
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

	// Trap: a SUBACK with an error completes successfully.
	@Test
	void aRefusedResponseSubscriptionIsAFailureToConnect() {
		this.broker.subAckCode = 0x87;
		StateStoreConnection connection = connection(this.broker.options().startTimeout(Duration.ofMillis(600)));
		new MqttCommandInvoker(connection);
		connection.start();
		assertThat(connection.isConnected()).isFalse();
		await("the failure").until(() -> this.log.contains(
				"refused client 'test' the subscription to '" + Topics.response("test") + "': not authorized (0x87)"));
		this.broker.subAckCode = 1;
		await("the connection").until(connection::isConnected);
	}

	@Test
	void subscriptionsAddedLaterAreGrantedAndRenewed() throws Exception {
		StateStoreConnection connection = connection();
		connection.start();
		List<String> received = new CopyOnWriteArrayList<>();
		connection.addSubscription("a/+", (message) -> received.add(message.topic())).get(10, TimeUnit.SECONDS);
		this.broker.publish("a/1", "", MqttProperties.NO_PROPERTIES);
		await("the message").until(() -> received.equals(List.of("a/1")));
		this.broker.drop();
		await("the renewed subscription").until(() -> this.broker.subscriptions.size() == 2);
		this.broker.publish("a/2", "", MqttProperties.NO_PROPERTIES);
		await("the message").until(() -> received.equals(List.of("a/1", "a/2")));
	}

	@Test
	void aSubscriptionAddedLaterMayBeRefused() {
		StateStoreConnection connection = connection();
		connection.start();
		this.broker.subAckCode = 0x87;
		CompletableFuture<Void> granted = connection.addSubscription("a/+", (message) -> {
		});
		assertThatThrownBy(() -> granted.get(10, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
			.hasCauseInstanceOf(StateStoreException.class)
			.hasMessageContaining("'a/+': not authorized");
		assertThat(connection.isConnected()).isTrue();
	}

	// Trap: Paho fails a pending SUBSCRIBE before it tells that the connection is lost.
	@Test
	void aConnectionLostDuringASubscriptionIsNoRefusal() throws Exception {
		StateStoreConnection connection = connection();
		connection.start();
		this.broker.onSubscribe = (filter) -> -1;
		List<String> received = new CopyOnWriteArrayList<>();
		CompletableFuture<Void> granted = connection.addSubscription("a/+", (message) -> received.add(message.topic()));
		await("SUBSCRIBE").until(() -> this.broker.subscriptions.size() == 1);
		this.broker.onSubscribe = (filter) -> 1;
		this.broker.drop();
		granted.get(10, TimeUnit.SECONDS);
		this.broker.publish("a/1", "", MqttProperties.NO_PROPERTIES);
		await("the message").until(() -> received.equals(List.of("a/1")));
	}

	@Test
	void aSubscriptionThatIsNotAnsweredIsAskedForAgain() throws Exception {
		StateStoreConnection connection = connection(this.broker.options().requestTimeout(Duration.ofMillis(100)));
		connection.start();
		this.broker.onSubscribe = (filter) -> -1;
		CompletableFuture<Void> granted = connection.addSubscription("a/+", (message) -> {
		});
		await("three SUBSCRIBEs").until(() -> this.broker.subscriptions.size() >= 3);
		assertThat(granted).isNotDone();
		this.broker.onSubscribe = (filter) -> 1;
		granted.get(10, TimeUnit.SECONDS);
		assertThat(this.broker.subscriptions).containsOnly("a/+");
		assertThat(this.broker.connects).hasSize(1);
		assertThat(this.log.contains("has not answered the subscription to 'a/+'")).isTrue();
	}

	@Test
	void aRefusedSubscriptionLeavesTheConnectionAndIsAskedForAgain() throws Exception {
		this.broker.onSubscribe = (filter) -> filter.equals("a/+") ? 0x87 : 1;
		StateStoreConnection connection = connection();
		MqttCommandInvoker invoker = new MqttCommandInvoker(connection);
		List<String> received = new CopyOnWriteArrayList<>();
		CompletableFuture<Void> granted = connection.addSubscription("a/+", (message) -> received.add(message.topic()));
		connection.start();
		assertThatThrownBy(() -> granted.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(StateStoreException.class)
			.hasMessageContaining("'a/+': not authorized");
		assertThat(this.log.contains("'a/+': not authorized")).isTrue();
		invoker.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS);
		assertThat(this.broker.connects).hasSize(1);
		this.broker.onSubscribe = (filter) -> 1;
		this.broker.drop();
		await("the next connection").until(() -> this.broker.subscriptions.size() == 4);
		this.broker.publish("a/1", "", MqttProperties.NO_PROPERTIES);
		await("the message").until(() -> received.equals(List.of("a/1")));
	}

	@Test
	void aTopicFilterThatIsNoneIsRefusedAtOnce() {
		StateStoreConnection connection = connection();
		assertThatThrownBy(() -> connection.addSubscription("a/#/b", (message) -> {
		})).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'a/#/b'");
	}

	// Trap: an exception that Paho does not expect ends its receiver and nobody notices.
	@Test
	@PahoOnly
	void aPacketThatPahoCannotStandIsALostConnection() {
		StateStoreConnection connection = connection(this.broker.options().keepAlive(Duration.ZERO));
		List<String> received = new CopyOnWriteArrayList<>();
		connection.addSubscription("a/+", (message) -> received.add(message.topic()));
		connection.start();
		this.broker.publish("a/\u0001", "", MqttProperties.NO_PROPERTIES);
		await("a new connection").until(() -> this.broker.connects.size() == 2 && connection.isConnected());
		assertThat(this.log.contains("Lost connection")).isTrue();
		assertThat(this.log.contains("Invalid UTF-8 char")).isTrue();
		await("the subscription").until(() -> this.broker.subscriptions.size() == 2);
		this.broker.publish("a/1", "", MqttProperties.NO_PROPERTIES);
		await("the message").until(() -> received.equals(List.of("a/1")));
		connection.stop();
		awaitNoThreads();
	}

	@Test
	@PahoOnly
	void anAcceptanceThatPahoCannotStandIsAFailureAtOnce() {
		this.broker.connAckProperties.add(new StringProperty(MqttPropertyType.REASON_STRING.value(), "\u0001"));
		StateStoreConnection connection = connection(this.broker.options().startTimeout(Duration.ZERO));
		connection.start();
		await("three failed attempts").until(() -> this.log.contains("attempt 3;"));
		assertThat(this.log.contains("Invalid UTF-8 char")).isTrue();
		connection.stop();
		awaitNoThreads();
	}

	@Test
	void anErrorWhenConnectedIsFollowedByAnotherConnection() {
		AtomicInteger connected = new AtomicInteger();
		List<String> causes = new CopyOnWriteArrayList<>();
		ConnectionSupervisor supervisor = new ConnectionSupervisor(this.broker.options().build(),
				new ConnectionSupervisor.Events() {

					@Override
					public Link open(ConnectionOptions options, LinkResources resources) {
						return LinkFactory.open(options, resources, (message) -> {
						});
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
	void aSubscriptionAddedWithoutConnectionIsGrantedWithIt() throws Exception {
		StateStoreConnection connection = connection();
		CompletableFuture<Void> granted = connection.addSubscription("a/+", (message) -> {
		});
		assertThat(granted).isNotDone();
		connection.start();
		granted.get(10, TimeUnit.SECONDS);
	}

	// Trap: an exception in a callback costs the connection.
	@Test
	void aSinkThatThrowsDoesNotCostTheConnection() {
		StateStoreConnection connection = connection();
		List<String> received = new CopyOnWriteArrayList<>();
		connection.addSubscription("a/+", (message) -> {
			received.add(message.topic());
			throw new AssertionError("sink");
		});
		connection.start();
		this.broker.publish("a/1", "", MqttProperties.NO_PROPERTIES);
		this.broker.publish("a/2", "", MqttProperties.NO_PROPERTIES);
		await("both messages").until(() -> received.size() == 2);
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void aBrokerThatFellSilentIsNoticed() {
		StateStoreConnection connection = connection(this.broker.options().keepAlive(Duration.ofSeconds(1)));
		connection.start();
		this.broker.answerPings = false;
		await("the loss").until(() -> this.log.contains("Lost connection"));
		this.broker.answerPings = true;
		await("the connection").until(connection::isConnected);
	}

	@Test
	void aQuietConnectionStaysAlive() throws Exception {
		connection(this.broker.options().keepAlive(Duration.ofSeconds(1))).start();
		AtomicInteger reads = this.broker.reads;
		int before = reads.get();
		await("three pings").until(() -> reads.get() >= before + 3);
		assertThat(this.broker.connects).hasSize(1);
	}

	@Test
	void stopIsQuickAndSaysGoodbye() {
		StateStoreConnection connection = connection();
		connection.start();
		long before = System.nanoTime();
		connection.stop();
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
		await("DISCONNECT").until(() -> this.broker.disconnects.get() == 1);
		assertThat(connection.isConnected()).isFalse();
		assertThat(connection.isRunning()).isFalse();
		assertThat(this.log.contains("Lost connection")).isFalse();
		connection.stop();
	}

	@Test
	void stopIsQuickAndLeaksNothingWhileTheBrokerReadsNothing() throws Exception {
		StateStoreConnection connection = connection();
		MqttCommandInvoker invoker = new MqttCommandInvoker(connection);
		connection.start();
		CountDownLatch release = new CountDownLatch(1);
		this.broker.onRequest = (broker, request) -> {
			try {
				release.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		};
		try {
			for (int i = 0; i < 10; i++) {
				invoker.invoke(new Command.Set(Bytes.of("key"), Bytes.wrap(new byte[4 * 1024 * 1024])),
						Options.DEFAULT);
			}
			await("the first request").until(() -> !this.broker.requests.isEmpty());
			long begin = System.nanoTime();
			connection.stop();
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(3));
			awaitNoThreads();
		}
		finally {
			release.countDown();
		}
	}

	@Test
	void stopIsQuickWithoutBroker() {
		this.broker.stop();
		StateStoreConnection connection = connection(this.broker.options()
			.startTimeout(Duration.ZERO)
			.reconnectDelay(Duration.ofMinutes(1), Duration.ofMinutes(1)));
		connection.start();
		await("a failed attempt").until(() -> this.log.contains("attempt 1;"));
		long before = System.nanoTime();
		connection.stop();
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
	}

	@Test
	void startsAgainAfterStop() throws Exception {
		StateStoreConnection connection = connection();
		MqttCommandInvoker invoker = new MqttCommandInvoker(connection);
		for (int i = 1; i <= 3; i++) {
			connection.start();
			invoker.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS);
			connection.stop();
			assertThat(this.broker.connects).hasSize(i);
		}
	}

	@Test
	void aStartDuringAStopWaitsForItsEnd() throws Exception {
		StateStoreConnection connection = connection(this.broker.options().startTimeout(Duration.ZERO));
		MqttCommandInvoker invoker = new MqttCommandInvoker(connection);
		CountDownLatch stopping = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		connection.addListener(new ConnectionListener() {

			@Override
			public void stopping() {
				stopping.countDown();
				try {
					goOn.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}

		});
		connection.start();
		await("a connection").until(connection::isConnected);
		Thread stopper = new Thread(connection::stop);
		stopper.start();
		stopping.await();
		connection.start();
		await("the second to wait for the first").until(() -> threads().stream()
			.anyMatch(
					(thread) -> thread.getName().startsWith("statestore-connection") && List.of(thread.getStackTrace())
						.stream()
						.anyMatch((frame) -> frame.getMethodName().equals("join"))));
		assertThat(this.broker.connects).hasSize(1);
		goOn.countDown();
		stopper.join();
		await("a new connection").until(() -> this.broker.connects.size() == 2 && connection.isConnected());
		invoker.invoke(new Command.Get(Bytes.of("key")), Options.DEFAULT).get(10, TimeUnit.SECONDS);
	}

	@Test
	void startKeepsTheInterruptFlagAndGoesOn() {
		StateStoreConnection connection = connection();
		Thread.currentThread().interrupt();
		connection.start();
		assertThat(Thread.interrupted()).isTrue();
		await("the connection").until(connection::isConnected);
	}

	// Trap: Paho waits for ever for a receiver that ended before it had been seen.
	@Tag("long")
	@Test
	void aServerThatHangsUpAtOnceLeaksNothing() {
		this.broker.acceptConnections = false;
		StateStoreConnection connection = connection(this.broker.options()
			.startTimeout(Duration.ZERO)
			.reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(1)));
		connection.start();
		await("10 failed attempts").until(() -> this.log.contains("attempt 10;"));
		connection.stop();
		awaitNoThreads();
	}

	// Trap: refused connects leak threads, and Paho's threads are no daemons.
	@Test
	void fiftyRefusedConnectsLeakNothing() {
		this.broker.stop();
		StateStoreConnection connection = connection(this.broker.options()
			.startTimeout(Duration.ZERO)
			.reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(1)));
		connection.start();
		await("50 failed attempts").until(() -> this.log.contains("attempt 50;"));
		connection.stop();
		awaitNoThreads();
	}

	@Tag("long")
	@Test
	void manyDropsLeakNothing() {
		StateStoreConnection connection = connection();
		new MqttCommandInvoker(connection);
		connection.start();
		for (int i = 2; i <= 6; i++) {
			int expected = i;
			this.broker.drop();
			await("connection " + i).until(() -> this.broker.connects.size() == expected && connection.isConnected());
		}
		assertThat(threads().stream().filter((thread) -> thread.getName().startsWith(TestedTransport.receiver())))
			.hasSize(1);
		assertThat(this.broker.connectionCount()).isEqualTo(1);
		connection.stop();
		awaitNoThreads();
	}

	@Test
	void noThreadKeepsTheJvmAlive() throws Exception {
		StateStoreConnection connection = connection(this.broker.options().keepAlive(Duration.ofSeconds(1)));
		MqttCommandInvoker invoker = new MqttCommandInvoker(connection);
		connection.start();
		invoker.invoke(new Command.Get(Bytes.of("k")), Options.DEFAULT).get(10, TimeUnit.SECONDS);
		assertThat(threads()).hasSizeGreaterThan(2).allMatch(Thread::isDaemon);
	}

	@Test
	void describesItself() {
		StateStoreConnection connection = connection();
		assertThat(connection.getUrl()).isEqualTo(url());
		assertThat(connection.getClientId()).isEqualTo("test");
		assertThat(connection.getPhase()).isZero();
	}

}
