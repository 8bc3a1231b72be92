package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.mqtt.Accepted;
import io.statestore.mqtt.BrokerConnection;
import io.statestore.mqtt.ClientPackets;
import io.statestore.mqtt.ConnectionSettings;
import io.statestore.mqtt.OutgoingPublish;
import io.statestore.mqtt.Properties;
import io.statestore.mqtt.Publish;
import io.statestore.mqtt.Tls;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Commands;
import io.statestore.protocol.Topics;
import io.statestore.protocol.UserProperties;
import org.jspecify.annotations.Nullable;

/**
 * Our own Netty connection without our client. Thousands of connections share an event
 * loop, whereas each of our clients would have its own threads.
 */
final class BareNetty implements BrokerConnection.Events, AutoCloseable {

	private static final EventLoopGroup LOOPS = new MultiThreadIoEventLoopGroup(1,
			new DefaultThreadFactory("bare", true), NioIoHandler.newFactory());

	private final String clientId = "bare-" + UUID.randomUUID();

	private final Caller.Replies replies = new Caller.Replies();

	private final CompletableFuture<Void> accepted = new CompletableFuture<>();

	private final CompletableFuture<Void> subscribed = new CompletableFuture<>();

	private final EventLoop loop = LOOPS.next();

	private final Queue<Message> waiting = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean scheduled = new AtomicBoolean();

	private final BrokerConnection connection;

	/** Called for each message without correlation data. */
	private final Runnable arrived;

	private int lastId;

	private BareNetty(int port, @Nullable Tls tls, Runnable arrived) {
		this.arrived = arrived;
		this.connection = BrokerConnection.open(this.loop,
				new ConnectionSettings("localhost", port, tls, Duration.ofSeconds(20),
						ConnectionSettings.MAX_PACKET_SIZE, ConnectionSettings.MAX_PACKET_SIZE, (bytes) -> {
						}),
				ClientPackets.connect(this.clientId, true, 0, null, null, MqttProperties.NO_PROPERTIES).build(), this);
	}

	/** Connects and subscribes to a topic. */
	private static BareNetty open(int port, @Nullable Tls tls, String topic, Runnable arrived) {
		BareNetty client = new BareNetty(port, tls, arrived);
		String filter = topic.isEmpty() ? Topics.response(client.clientId) : topic;
		client.accepted.thenRun(() -> {
			client.connection.write(ClientPackets.subscribe(1, filter, Topics.notificationFilter(client.clientId)));
			client.connection.flush();
		}).join();
		client.subscribed.join();
		return client;
	}

	/** Returns a caller that always sends the same request and matches replies. */
	static Caller caller(int port, Calls calls) {
		BareNetty client = open(port, null, "", () -> {
		});
		return client.caller(Topics.REQUEST, Topics.response(client.clientId), calls.request(), calls.timestamp());
	}

	/** Returns a caller to which the broker sends its own messages back. */
	static Caller toItself(int port, @Nullable Tls tls) {
		String topic = "benchmark/" + UUID.randomUUID();
		return open(port, tls, topic, () -> {
		}).caller(topic, topic, new byte[100], null);
	}

	/** Returns a client that is notified of changes of a key. */
	static BareNetty observer(int port, String key, Runnable arrived) {
		BareNetty client = open(port, null, "", arrived);
		client
			.caller(Topics.REQUEST, Topics.response(client.clientId),
					Commands.encode(new Command.KeyNotify(Bytes.of(key))), null)
			.send()
			.get()
			.join();
		return client;
	}

	private Caller caller(String topic, String responseTopic, byte[] payload, @Nullable String timestamp) {
		return Caller.of(() -> this.replies.request((correlation) -> {
			this.waiting.add(new Message(topic, responseTopic, correlation, payload, timestamp));
			if (this.scheduled.compareAndSet(false, true)) {
				this.loop.execute(this::write);
			}
		}), this);
	}

	private void write() {
		this.scheduled.set(false);
		for (Message next = this.waiting.poll(); next != null; next = this.waiting.poll()) {
			this.lastId = this.lastId % 0xFFFF + 1;
			this.connection.publish(next, this.lastId, false);
		}
		this.connection.flush();
	}

	@Override
	public void accepted(Accepted accepted) {
		this.accepted.complete(null);
	}

	@Override
	public void subscribed(int packetId, List<Integer> reasonCodes) {
		this.subscribed.complete(null);
	}

	@Override
	public void published(Publish publish) {
		byte[] correlation = publish.correlationData();
		if (correlation != null) {
			this.replies.arrived(ByteBuffer.wrap(correlation));
		}
		else {
			this.arrived.run();
		}
		if (publish.packetId() > 0) {
			this.connection.acknowledge(publish.packetId());
		}
	}

	@Override
	public void acknowledged(int packetId, int reasonCode) {
	}

	@Override
	public void ended(Throwable cause, boolean accepted) {
		this.accepted.completeExceptionally(cause);
		this.subscribed.completeExceptionally(cause);
		this.replies.fail(cause);
	}

	@Override
	public void close() {
		this.loop.execute(() -> this.connection.close(MqttMessageBuilders.disconnect().reasonCode((byte) 0).build()));
	}

	/** A request at QoS 1. */
	private static final class Message extends OutgoingPublish {

		private final String responseTopic;

		private final byte[] correlation;

		private final @Nullable String timestamp;

		Message(String topic, String responseTopic, byte[] correlation, byte[] payload, @Nullable String timestamp) {
			super(topic, 1, false, payload,
					1 + Properties.size(responseTopic) + 3 + correlation.length + ((timestamp != null)
							? 1 + Properties.size(UserProperties.TIMESTAMP) + Properties.size(timestamp) : 0));
			this.responseTopic = responseTopic;
			this.correlation = correlation;
			this.timestamp = timestamp;
		}

		@Override
		protected void writeProperties(ByteBuf out) {
			Properties.write(out, MqttProperties.RESPONSE_TOPIC, this.responseTopic);
			Properties.write(out, MqttProperties.CORRELATION_DATA, this.correlation);
			if (this.timestamp != null) {
				Properties.writeUser(out, UserProperties.TIMESTAMP, this.timestamp);
			}
		}

	}

}
