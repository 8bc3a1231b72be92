package io.statestore.broker.mqtt;

import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Consumer;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * The CONNECT of a client that waits for its login or its client id, and the packets that
 * arrived after it. Used on the event loop of the connection only.
 */
final class WaitingPackets {

	private final ClientSession session;

	/** Handles a packet. */
	private final Consumer<Object> read;

	/** Called after the last packet. */
	private final Runnable readComplete;

	/**
	 * Packets after the CONNECT. Reading is suspended meanwhile, so that they are parts
	 * of the piece of {@link ReadGate} that ended the CONNECT.
	 */
	private final Queue<Object> packets = new ArrayDeque<>();

	private @Nullable MqttConnectMessage connect;

	private boolean waiting;

	/**
	 * Creates an empty object.
	 * @param session session of the connection
	 * @param read handles a packet, whose reference it takes over
	 * @param readComplete called after the last packet
	 */
	WaitingPackets(ClientSession session, Consumer<Object> read, Runnable readComplete) {
		this.session = session;
		this.read = read;
		this.readComplete = readComplete;
	}

	/**
	 * Returns whether the client waits, so that packets have to be {@link #add added}.
	 */
	boolean isWaiting() {
		return this.waiting;
	}

	/** Returns the CONNECT, or {@code null} if it was dropped. */
	@Nullable MqttConnectMessage connect() {
		return this.connect;
	}

	/**
	 * Lets a client wait. Suspends reading.
	 * @param connect its CONNECT, whose reference is taken over
	 */
	void suspend(MqttConnectMessage connect) {
		this.connect = connect;
		this.waiting = true;
		this.session.setAuthenticating(true);
	}

	/**
	 * Adds a packet. Drops it if the CONNECT was dropped.
	 * @param packet the packet, whose reference is taken over
	 */
	void add(Object packet) {
		if (this.connect != null) {
			this.packets.add(packet);
		}
		else {
			ReferenceCountUtil.release(packet);
		}
	}

	/**
	 * Continues with the CONNECT, and then with the other packets unless the client has
	 * to wait again.
	 * @param next handles the CONNECT, whose reference it takes over
	 */
	void resume(Consumer<MqttConnectMessage> next) {
		MqttConnectMessage connect = Objects.requireNonNull(this.connect, "dropped");
		this.connect = null;
		this.waiting = false;
		this.session.readingStarted();
		next.accept(connect);
		while (!this.waiting && !this.packets.isEmpty()) {
			this.read.accept(this.packets.remove());
		}
		this.readComplete.run();
		this.session.setAuthenticating(this.waiting);
	}

	/** Drops the packets. The client continues to wait. */
	void drop() {
		ReferenceCountUtil.release(this.connect);
		this.connect = null;
		this.packets.forEach(ReferenceCountUtil::release);
		this.packets.clear();
	}

	/** Drops the packets after the end of the connection. */
	void close() {
		this.waiting = false;
		drop();
	}

}
