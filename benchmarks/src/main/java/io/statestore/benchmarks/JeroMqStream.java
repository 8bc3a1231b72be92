package io.statestore.benchmarks;

import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * The limit: a publisher and a subscriber with nothing above them, and messages of the
 * same two frames, header and content. Nothing is lost, since the publisher waits for
 * room.
 */
final class JeroMqStream implements RecordStream {

	private static final CompletableFuture<?> SENT = CompletableFuture.completedFuture(null);

	private static final int HIGH_WATER_MARK = 10_000;

	private static final int HANDSHAKE_MILLIS = 2_000;

	private static final int CLOSE_MILLIS = 10_000;

	/** As long as ours, with a topic of seven letters. */
	private static final byte[] HEADER = ByteBuffer.allocate(59).put((byte) 'M').array();

	private final ZContext sending = new ZContext(1);

	private final ZContext receiving = new ZContext(1);

	private final ZMQ.Socket publisher;

	private final Thread receiver;

	JeroMqStream(int buffer, Arrivals arrivals) throws InterruptedException {
		this.publisher = socket(this.sending, SocketType.XPUB);
		this.publisher.setXpubNoDrop(true);
		int port = this.publisher.bindToRandomPort("tcp://127.0.0.1");
		ZMQ.Socket subscriber = socket(this.receiving, SocketType.SUB);
		if (buffer > 0) {
			// Not before bind: JeroMQ 0.6.0 would set it on the listening socket and
			// fail.
			this.publisher.setSendBufferSize(buffer);
			subscriber.setReceiveBufferSize(buffer);
		}
		subscriber.subscribe("M");
		subscriber.connect("tcp://127.0.0.1:" + port);
		this.receiver = new Thread(() -> receive(subscriber, arrivals), "raw-receiver");
		this.receiver.setDaemon(true);
		this.receiver.start();
		while (!arrivals.isConnected()) {
			send(new byte[] { Arrivals.HELLO });
		}
	}

	private static ZMQ.Socket socket(ZContext context, SocketType type) {
		ZMQ.Socket socket = context.createSocket(type);
		socket.setHWM(HIGH_WATER_MARK);
		// JeroMQ 0.6.0 at times does not watch a connection; then it makes another.
		socket.setHandshakeIvl(HANDSHAKE_MILLIS);
		return socket;
	}

	private static void receive(ZMQ.Socket subscriber, Arrivals arrivals) {
		try {
			while (true) {
				subscriber.recv();
				arrivals.arrived(subscriber.recv());
			}
		}
		catch (ZMQException | ClosedSelectorException ex) {
			// Closed.
		}
	}

	@Override
	public CompletableFuture<?> send(byte[] content) {
		this.publisher.send(HEADER, ZMQ.SNDMORE);
		this.publisher.send(content, 0);
		return SENT;
	}

	/**
	 * Closes both contexts on threads of their own: JeroMQ 0.6.0 at times waits for its
	 * I/O thread without end.
	 */
	@Override
	public void close() throws InterruptedException {
		List<Thread> closers = new ArrayList<>();
		for (ZContext context : List.of(this.sending, this.receiving)) {
			Thread closer = new Thread(context::close, "raw-closer");
			closer.setDaemon(true);
			closer.start();
			closers.add(closer);
		}
		for (Thread closer : closers) {
			closer.join(CLOSE_MILLIS);
			if (closer.isAlive()) {
				System.out.println("  raw JeroMQ did not close in " + CLOSE_MILLIS + " ms, and is left behind");
			}
		}
		this.receiver.join(CLOSE_MILLIS);
	}

}
