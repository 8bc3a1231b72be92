package io.statestore.testing;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;

import io.statestore.broker.memory.ClientShare;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.ClientConnection;
import io.statestore.broker.server.IncomingRequest;
import io.statestore.broker.server.OutgoingMessage;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.UserProperty;
import io.statestore.client.mqtt.link.Link;
import io.statestore.client.mqtt.link.LinkAbortedException;
import io.statestore.client.mqtt.link.LinkMessage;
import io.statestore.client.mqtt.link.MessageSink;
import io.statestore.client.mqtt.link.ReasonCode;
import io.statestore.client.mqtt.link.TransferProgress;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * A link that passes requests to a server in this JVM. One thread of the link stands for
 * the network: messages and acknowledgments arrive on it in order.
 */
final class InMemoryLink implements Link, ClientConnection {

	private static final int RECEIVE_MAXIMUM = 1024;

	private static final int QOS_1_GRANTED = 1;

	private final CompletableFuture<Throwable> lost = new CompletableFuture<>();

	private final ClientShare memory = MemoryBudget.unlimited().open();

	private final StateStoreServer server;

	private final String clientId;

	private final MessageSink sink;

	private final ExecutorService thread;

	private final Executor network;

	private volatile boolean closed;

	InMemoryLink(StateStoreServer server, String clientId, TimeSource time, ThreadFactory threads, MessageSink sink) {
		this.server = server;
		this.clientId = clientId;
		this.sink = sink;
		this.thread = Executors.newSingleThreadExecutor(threads);
		this.network = time.tracked((Executor) this.thread);
		server.connected(this);
	}

	@Override
	public CompletableFuture<Void> accepted() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Throwable> lost() {
		return this.lost;
	}

	@Override
	public void abort(String cause) {
		this.lost.complete(new LinkAbortedException(cause));
		close();
	}

	@Override
	public int receiveMaximum() {
		return RECEIVE_MAXIMUM;
	}

	@Override
	public @Nullable Long maximumPacketSize() {
		return null;
	}

	@Override
	public TransferProgress progress() {
		return TransferProgress.UNKNOWN;
	}

	@Override
	public Submission publish(LinkMessage message, Acknowledgment acknowledgment) {
		if (this.closed) {
			return Submission.NOT_CONNECTED;
		}
		if (message.topic().equals(Topics.REQUEST)) {
			this.server.request(request(message, acknowledgment));
		}
		else {
			acknowledge(acknowledgment, ReasonCode.NO_MATCHING_SUBSCRIBERS);
		}
		return Submission.ACCEPTED;
	}

	private IncomingRequest request(LinkMessage message, Acknowledgment acknowledgment) {
		Long expiry = message.expirySeconds();
		return new IncomingRequest(this, message.qos(), message.responseTopic(), message.correlationData(),
				(expiry != null) ? Duration.ofSeconds(expiry) : null,
				message.userProperties()
					.stream()
					.map((property) -> new UserProperty(property.name(), property.value()))
					.toList(),
				Bytes.wrap(message.payload()), (reasonCode) -> acknowledge(acknowledgment, reasonCode));
	}

	private void acknowledge(Acknowledgment acknowledgment, int reasonCode) {
		receive(() -> acknowledgment.acknowledged(reasonCode));
	}

	/** Runs the handling of a packet on the network thread, unless this is closed. */
	private void receive(Runnable handling) {
		try {
			this.network.execute(() -> {
				if (!this.closed) {
					handling.run();
				}
			});
		}
		catch (RejectedExecutionException ex) {
			// Closed by another thread. The packet is lost, as on a network.
		}
	}

	@Override
	public CompletableFuture<int[]> subscribe(String filter) {
		CompletableFuture<int[]> granted = new CompletableFuture<>();
		receive(() -> granted.complete(new int[] { QOS_1_GRANTED }));
		return granted;
	}

	@Override
	public CompletableFuture<Void> reauthenticate(byte[] data) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void disconnect(Duration timeout, boolean endSession) {
		close();
	}

	@Override
	public void close() {
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.closed = true;
		}
		this.server.disconnected(this);
		this.thread.shutdown();
		this.memory.close();
	}

	@Override
	public String clientId() {
		return this.clientId;
	}

	@Override
	public ClientShare memory() {
		return this.memory;
	}

	@Override
	public void send(OutgoingMessage message) {
		LinkMessage received = new LinkMessage(message.topic(), message.payload(), 1, false, false, null, null, null,
				message.correlationData(),
				message.userProperties()
					.stream()
					.map((property) -> new LinkMessage.UserProperty(property.name(), property.value()))
					.toList());
		receive(() -> this.sink.messageArrived(received));
	}

	@Override
	public void disconnect(int reasonCode, String reason) {
		abort(reason);
	}

	@Override
	public String toString() {
		return this.clientId;
	}

}
