package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/**
 * Upper limit for streams: a bare JeroMQ publisher and subscriber. Messages have the same
 * two frames as ours, header and content. The publisher waits while its queue is full, so
 * that messages are not lost.
 */
final class JeroMqStream extends RecordStream {

	private static final CompletableFuture<?> SENT = CompletableFuture.completedFuture(null);

	private static final int HIGH_WATER_MARK = 10_000;

	private static final int HANDSHAKE_MILLIS = 2_000;

	/** Header as long as ours with a topic of seven letters. */
	private static final byte[] HEADER = ByteBuffer.allocate(59).put((byte) 'M').array();

	private final ZContext sending = new ZContext(1);

	private final ZContext receiving = new ZContext(1);

	private final ZMQ.Socket publisher;

	private final Thread receiver;

	private volatile boolean closed;

	JeroMqStream(int buffer) throws InterruptedException {
		this.publisher = socket(this.sending, SocketType.XPUB);
		this.publisher.setXpubNoDrop(true);
		int port = this.publisher.bindToRandomPort("tcp://127.0.0.1");
		ZMQ.Socket subscriber = socket(this.receiving, SocketType.SUB);
		if (buffer > 0) {
			// Must follow bind, because JeroMQ 0.6.0 fails to set it on the listening
			// socket.
			this.publisher.setSendBufferSize(buffer);
			subscriber.setReceiveBufferSize(buffer);
		}
		subscriber.subscribe("M");
		subscriber.connect("tcp://127.0.0.1:" + port);
		this.receiver = new Thread(() -> receive(subscriber), "raw-receiver");
		this.receiver.start();
		awaitConnected();
	}

	private static ZMQ.Socket socket(ZContext context, SocketType type) {
		ZMQ.Socket socket = context.createSocket(type);
		socket.setHWM(HIGH_WATER_MARK);
		// JeroMQ 0.6.0 sometimes fails to poll a new connection. This timeout makes it
		// reconnect.
		socket.setHandshakeIvl(HANDSHAKE_MILLIS);
		return socket;
	}

	private void receive(ZMQ.Socket subscriber) {
		subscriber.setReceiveTimeOut(100);
		while (!this.closed) {
			if (subscriber.recv() != null) {
				arrived(subscriber.recv());
			}
		}
	}

	@Override
	CompletableFuture<?> send(byte[] content) {
		this.publisher.send(HEADER, ZMQ.SNDMORE);
		this.publisher.send(content, 0);
		return SENT;
	}

	@Override
	public void close() throws InterruptedException {
		// Closing a context may hang while another thread uses one of its sockets.
		this.closed = true;
		this.receiver.join();
		this.sending.close();
		this.receiving.close();
	}

}
