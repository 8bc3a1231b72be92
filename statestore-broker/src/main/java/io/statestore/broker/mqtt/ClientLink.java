package io.statestore.broker.mqtt;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.packet.LoopTasks;
import io.statestore.broker.server.Burst;
import io.statestore.broker.packet.Packets;
import io.statestore.broker.server.ClientLog;
import io.statestore.mqtt.OutgoingPublish;
import io.statestore.mqtt.Output;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to one client. Writes packets, and ends exactly once. Used on the
 * connection's event loop. Other threads may call {@link #disconnectLater} and
 * {@link #abort}.
 */
final class ClientLink {

	private static final Logger logger = LoggerFactory.getLogger(ClientLink.class);

	private static final ClientLog clientLog = new ClientLog(logger);

	/**
	 * How long the client has to receive a DISCONNECT before the connection is closed.
	 */
	static final long DISCONNECT_TIMEOUT_SECONDS = 5;

	private final ChannelHandlerContext context;

	private final Output output;

	private final ClientShare memory;

	private final Consumer<Error> errors;

	private final Runnable onEnd;

	private final LoopTasks tasks;

	private String clientId = "";

	private boolean mqtt5 = true;

	/** Whether a CONNACK has accepted the client. */
	private boolean accepted;

	private boolean ended;

	/**
	 * Whether a burst of packets from the client is being read. Writes are flushed when
	 * the burst ends.
	 */
	private boolean reading;

	/**
	 * Creates the link for a new connection.
	 * @param context the connection handler's context
	 * @param memory the client's memory share
	 * @param errors receives errors that occur while handling this connection
	 * @param onEnd called once at the end, before the connection is closed
	 */
	ClientLink(ChannelHandlerContext context, ClientShare memory, Consumer<Error> errors, Runnable onEnd) {
		this.context = context;
		this.output = new Output(context.channel(), Integer.MAX_VALUE);
		this.memory = memory;
		this.errors = errors;
		this.onEnd = onEnd;
		this.tasks = newTasks(false);
	}

	ChannelHandlerContext context() {
		return this.context;
	}

	/** Returns the client's memory share. */
	ClientShare memory() {
		return this.memory;
	}

	/**
	 * Creates tasks for the event loop.
	 * @param inBursts whether to run the tasks only at the end of a burst
	 */
	LoopTasks newTasks(boolean inBursts) {
		return new LoopTasks(this.context.channel().eventLoop(), inBursts, this::flushUnlessReading, this::failed);
	}

	/** Returns the tasks for the event loop. */
	LoopTasks tasks() {
		return this.tasks;
	}

	/** Returns the client's address, {@code null} if unknown. */
	@Nullable InetAddress address() {
		return ClientAddress.host(this.context.channel());
	}

	/** Returns the client's address and port, {@code null} if unknown. */
	@Nullable InetSocketAddress socketAddress() {
		return ClientAddress.of(this.context.channel());
	}

	/** Returns whether the client is connected from a loopback address. */
	boolean isLocal() {
		InetAddress address = address();
		return address != null && address.isLoopbackAddress();
	}

	/**
	 * Sets the client's id and MQTT version.
	 * @param clientId the id in the CONNECT, or the assigned id
	 * @param version the protocol level in the CONNECT
	 */
	void connecting(String clientId, int version) {
		this.clientId = clientId;
		this.mqtt5 = version == Packets.MQTT_5;
	}

	/** Handles the CONNACK that accepts the client, before it is written. */
	void accepted() {
		this.accepted = true;
	}

	boolean isAccepted() {
		return this.accepted;
	}

	String clientId() {
		return this.clientId;
	}

	boolean isMqtt5() {
		return this.mqtt5;
	}

	boolean isEnded() {
		return this.ended;
	}

	/**
	 * Writes a packet, unless the connection has ended. A failure ends it.
	 * @param packet a packet that does not own a buffer
	 */
	void write(MqttMessage packet) {
		if (!this.ended && Packets.isSuccessfulPuback(packet)) {
			this.output.acknowledge(Packets.packetId(packet));
		}
		else if (!this.ended) {
			this.output.write(packet).addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
		}
	}

	/**
	 * Writes a message, unless the connection has ended.
	 * @param message the message to send
	 * @param packetId the packet identifier, ignored for QoS 0
	 * @param repeated whether it was already sent on an earlier connection
	 */
	void publish(OutgoingPublish message, int packetId, boolean repeated) {
		if (!this.ended) {
			this.output.publish(message, packetId, repeated);
		}
	}

	/** Handles a packet in a burst. */
	void readingStarted() {
		this.reading = true;
		Burst.begin();
	}

	/** Handles the end of a burst of packets. */
	void readingPaused() {
		// May write more packets, which are flushed together.
		Burst.end();
		this.reading = false;
		flush();
	}

	private void flushUnlessReading() {
		if (!this.reading) {
			flush();
		}
	}

	/** Passes all written packets to the network. */
	void flush() {
		this.output.flush();
	}

	/**
	 * Refuses the client.
	 * @param connack the CONNACK with the reason
	 */
	void refuse(MqttMessage connack) {
		end();
		writeLast(connack);
	}

	private void writeLast(MqttMessage packet) {
		this.output.write(packet).addListener(ChannelFutureListener.CLOSE);
		flush();
	}

	/**
	 * Ends the connection. MQTT 5 clients receive a DISCONNECT first.
	 * @param reasonCode MQTT 5 reason code
	 * @param reason why the connection ends, for the log and the client
	 */
	void disconnect(int reasonCode, String reason) {
		if (this.ended) {
			return;
		}
		clientLog.info("Disconnecting client '{}': {} (0x{})", this.clientId, reason, Integer.toHexString(reasonCode));
		end();
		if (this.accepted && isMqtt5()) {
			this.context.executor().schedule(() -> this.context.close(), DISCONNECT_TIMEOUT_SECONDS, TimeUnit.SECONDS);
			writeLast(Packets.disconnect(reasonCode, reason));
		}
		else {
			close();
		}
	}

	/**
	 * Ends the connection as {@link #disconnect} does. Thread-safe.
	 * @param reasonCode MQTT 5 reason code
	 * @param reason why the connection ends, for the log and the client
	 */
	void disconnectLater(int reasonCode, String reason) {
		this.tasks.execute(() -> disconnect(reasonCode, reason));
	}

	/** Closes the connection after sending earlier packets. */
	void close() {
		flush();
		this.context.close();
	}

	/**
	 * Closes the connection without sending earlier packets. Thread-safe.
	 */
	void abort() {
		this.context.close();
	}

	/**
	 * Handles the end of the connection. May be called before or after the connection is
	 * closed.
	 */
	void end() {
		if (!this.ended) {
			this.ended = true;
			try {
				this.onEnd.run();
			}
			catch (RuntimeException ex) {
				failed(ex);
			}
			Burst.end();
		}
	}

	/**
	 * Closes the connection after a failure, because a packet may have been partly
	 * executed.
	 */
	void failed(Throwable failure) {
		this.context.close();
		if (failure instanceof Error error) {
			this.errors.accept(error);
		}
		else if (!(failure instanceof IOException)) {
			logger.error("Closed the connection of client '{}' because of an internal error. This is a bug: report it "
					+ "with this stack trace", this.clientId, failure);
		}
	}

}
