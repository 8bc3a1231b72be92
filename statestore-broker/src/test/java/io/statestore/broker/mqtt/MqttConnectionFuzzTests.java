package io.statestore.broker.mqtt;

import java.util.List;
import java.util.Random;
import java.util.concurrent.ScheduledThreadPoolExecutor;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.statestore.broker.engine.Quota;
import io.statestore.broker.login.Logins;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.packet.FrameGuard;
import io.statestore.broker.security.AnonymousAccess;
import io.statestore.broker.security.AuditLog;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.ClientLog;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.broker.session.MemorySessionLog;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes an entire connection: the guards, the codec, the handler, the sessions, and the
 * state store. The first byte of an input determines how the others are cut into pieces,
 * 0 for a single piece.
 */
@Isolated("captures the log")
class MqttConnectionFuzzTests {

	private static final int MAX_SIZE = 4_096;

	private static final long NOW = 1_700_000_000_000L;

	/** Attribute in which Netty stores the protocol version. */
	private static final AttributeKey<Object> VERSION = AttributeKey.valueOf("NETTY_CODEC_MQTT_VERSION");

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.statestore");

	private static final MqttBrokerSettings SETTINGS = new MqttBrokerSettings("localhost", 0, 1_000);

	private static final ClientLog LOG = new ClientLog(LoggerFactory.getLogger(ClientHandler.class));

	private static final Logins LOGINS = new Logins(List.of(), AnonymousAccess.ALL, TimeSource.SYSTEM, Long.MAX_VALUE);

	private static final ErrorLog ERRORS = new ErrorLog();

	@BeforeAll
	static void listen() {
		ERRORS.start();
		LOGGER.addAppender(ERRORS);
	}

	@AfterAll
	static void stopListening() {
		LOGGER.detachAppender(ERRORS);
	}

	@FuzzTest
	void servesOrEndsConnection(byte[] input) {
		if (input.length < 2) {
			return;
		}
		MemorySessionLog log = new MemorySessionLog(() -> 0);
		SessionServer server = new SessionServer(SETTINGS, log, MemoryBudget.unlimited(), (error) -> {
			throw error;
		});
		servesOrEndsConnection(input, server);
		server.close();
		assertThat(server.hasConnectedClients()).isFalse();
	}

	private static void servesOrEndsConnection(byte[] input, SessionServer server) {
		ERRORS.first = null;
		MemoryBudget budget = MemoryBudget.unlimited();
		CountingAllocator allocator = new CountingAllocator();
		try (ClientShare memory = budget.open(); FuzzedStore store = new FuzzedStore()) {
			EmbeddedChannel channel = new EmbeddedChannel();
			channel.config().setAllocator(allocator);
			channel.freezeTime();
			channel.pipeline().addLast(new ConnectGuard(MAX_SIZE, memory, () -> {
			}), new FrameGuard(MAX_SIZE, 512, memory), new MqttDecoder(MAX_SIZE), MqttEncoder.INSTANCE,
					new ClientHandler((context) -> new ConnectExchange(
							new MqttConnection(context, server, store, memory, new AuditLog()), LOGINS, server.owners(),
							LOG)));
			write(channel, input);
			assertThat(store.unanswered).as("requests without acknowledgment").isZero();
			assertThatOutboundIsMqtt(channel, versionOf(input));
			channel.finishAndReleaseAll();
			assertThat(store.connections).as("connections that have not ended").isZero();
			assertThat(budget.used(MemoryUse.OUTGOING)).isZero();
		}
		assertThat(budget.used()).isZero();
		assertThat(allocator.live).as("bytes not released").isZero();
		assertThat(ERRORS.first).isNull();
	}

	private static void write(EmbeddedChannel channel, byte[] input) {
		Random sizes = new Random(input[0]);
		for (int position = 1; position < input.length && channel.isOpen();) {
			int size = (input[0] == 0) ? input.length : 1 + sizes.nextInt(sizes.nextBoolean() ? 3 : 100);
			int end = Math.min(input.length, position + size);
			channel.writeInbound(channel.alloc().heapBuffer().writeBytes(input, position, end - position));
			position = end;
		}
	}

	/**
	 * Returns the version in the first CONNECT, which the broker uses for its packets.
	 */
	private static MqttVersion versionOf(byte[] input) {
		int index = 2;
		while (index < input.length && input[index] < 0) {
			index++;
		}
		// Follows the protocol name, "MQTT" or "MQIsdp".
		int level = index + 3 + ((index + 2 < input.length) ? input[index + 2] : 0);
		return (level < 0 || level >= input.length || input[level] == 5) ? MqttVersion.MQTT_5 : MqttVersion.MQTT_3_1_1;
	}

	private static void assertThatOutboundIsMqtt(EmbeddedChannel channel, MqttVersion version) {
		EmbeddedChannel client = new EmbeddedChannel(new MqttDecoder(Integer.MAX_VALUE));
		client.attr(VERSION).set(version);
		for (Object sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
			client.writeInbound(sent);
			for (MqttMessage message = client.readInbound(); message != null; message = client.readInbound()) {
				assertThat(message.decoderResult().isSuccess()).as("%s", message).isTrue();
				ReferenceCountUtil.release(message);
			}
		}
		assertThat(client.finish()).as("rest of a packet").isFalse();
	}

	/** The real state store, with its acknowledgments counted. */
	private static final class FuzzedStore implements ClientListener, AutoCloseable {

		/** Runs tasks that may take long, such as SCANs, on the caller's thread. */
		private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1) {

			@Override
			public void execute(Runnable task) {
				task.run();
			}

		};

		private final StateStoreServer server = new StateStoreServer(StateStoreServerOptions.defaults()
			.withWallClock(() -> NOW)
			.withNanoClock(() -> 0)
			.withScheduler(this.scheduler)
			.withQuota(new Quota(10, 2_000)));

		private int connections;

		private int unanswered;

		@Override
		public void connected(ClientConnection connection) {
			this.connections++;
			this.server.connected(connection);
		}

		@Override
		public void disconnected(ClientConnection connection) {
			this.connections--;
			this.server.disconnected(connection);
		}

		@Override
		public void request(IncomingRequest request) {
			this.unanswered++;
			this.server.request(new IncomingRequest(request.connection(), request.qos(), request.responseTopic(),
					request.correlationData(), request.messageExpiry(), request.userProperties(), request.payload(),
					(reasonCode) -> {
						this.unanswered--;
						assertThat(reasonCode).isNotEqualTo(0x80);
						request.acknowledgment().acknowledge(reasonCode);
					}));
		}

		@Override
		public void administer(IncomingRequest request, boolean local) {
			this.server.administer(request, local);
		}

		@Override
		public void failed(Error error) {
			throw error;
		}

		@Override
		public void close() {
			this.server.close();
			this.scheduler.shutdownNow();
		}

	}

	/** Keeps the first error that is logged. */
	private static final class ErrorLog extends AppenderBase<ILoggingEvent> {

		private volatile @Nullable String first;

		@Override
		protected void append(ILoggingEvent event) {
			if (this.first == null && event.getLevel().isGreaterOrEqual(Level.ERROR)) {
				this.first = event + " " + event.getThrowableProxy();
			}
		}

	}

}
