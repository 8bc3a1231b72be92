package io.statestore.dafka.endtoend;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

import io.statestore.dafka.node.internal.TestBeacons;
import io.statestore.dafka.Bytes;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/**
 * Store that answers like the reference implementation, with raw sockets and a separate
 * codec. It sends the heads of all topics that begin with a requested topic, and one more
 * record than requested. It sends nothing without a request.
 */
final class ReferenceStore implements AutoCloseable {

	private static final String ADDRESS = "C0FFEE00C0FFEE00C0FFEE00C0FFEE00";

	private final ZContext context = new ZContext();

	private final CountDownLatch closing = new CountDownLatch(1);

	/** Contents of each partition. The key consists of topic, NUL, and address. */
	private final SortedMap<String, List<String>> partitions = new TreeMap<>();

	private final Thread thread = new Thread(this::run, "reference-store");

	private final Cluster cluster;

	private int port;

	ReferenceStore(Cluster cluster) {
		this.cluster = cluster;
	}

	ReferenceStore with(String topic, String address, List<String> contents) {
		this.partitions.put(topic + '\0' + address, contents);
		return this;
	}

	/** Connects to the node at a port and is announced to the tower. */
	ReferenceStore start(int port) {
		this.port = port;
		this.thread.start();
		return this;
	}

	private void run() {
		ZMQ.Socket publisher = socket(SocketType.XPUB);
		publisher.setXpubVerbose(true);
		List<byte[]> announcement = TestBeacons.announcement(ADDRESS, "127.0.0.1",
				publisher.bindToRandomPort("tcp://127.0.0.1"));
		ZMQ.Socket beacons = socket(SocketType.XPUB);
		beacons.connect("tcp://127.0.0.1:" + this.cluster.tower.address().inPort());
		ZMQ.Socket subscriber = socket(SocketType.SUB);
		subscriber.setReceiveTimeOut(20);
		List.of("F", "G", "W" + ADDRESS).forEach(subscriber::subscribe);
		subscriber.connect("tcp://127.0.0.1:" + this.port);
		while (this.closing.getCount() > 0) {
			TestBeacons.send(beacons, announcement);
			while (publisher.recv(ZMQ.DONTWAIT) != null) {
				// Only consumers receive answers to a subscription.
			}
			byte[] command = subscriber.recv();
			if (command != null) {
				answer(publisher, command);
			}
		}
		this.context.close();
	}

	private void answer(ZMQ.Socket publisher, byte[] command) {
		ByteBuffer in = ByteBuffer.wrap(command);
		char id = (char) in.get();
		StringBuilder topic = new StringBuilder();
		for (byte next = in.get(); next != 0; next = in.get()) {
			topic.append((char) next);
		}
		in.get();
		String sender = string(in, in.get());
		if (id == 'G') {
			heads(publisher, sender, topic.toString());
		}
		else if (id == 'W') {
			for (int count = in.getInt(); count > 0; count--) {
				heads(publisher, sender, string(in, in.getInt()));
			}
		}
		else {
			records(publisher, sender, string(in, in.get()) + '\0' + topic, (int) in.getLong(), in.getInt());
		}
	}

	private void heads(ZMQ.Socket publisher, String recipient, String prefix) {
		this.partitions.forEach((partition, contents) -> {
			if (partition.startsWith(prefix)) {
				publisher.send(header('E', recipient, partition, contents.size() - 1));
			}
		});
	}

	private void records(ZMQ.Socket publisher, String recipient, String partition, int first, int count) {
		List<String> contents = this.partitions.getOrDefault(partition, List.of());
		for (int i = first; i < contents.size() && i <= first + count; i++) {
			publisher.sendMore(header('D', recipient, partition, i));
			publisher.send(contents.get(i));
		}
	}

	private static byte[] header(char id, String recipient, String partition, long sequence) {
		String[] names = partition.split("\0");
		ByteBuffer out = ByteBuffer.allocate(1_000).put((byte) id).put(bytes(recipient)).put((byte) 0).put((byte) 1);
		out.put((byte) names[1].length()).put(bytes(names[1])).put((byte) names[0].length()).put(bytes(names[0]));
		byte[] header = new byte[out.putLong(sequence).position()];
		out.get(0, header);
		return header;
	}

	private static String string(ByteBuffer in, int length) {
		byte[] string = new byte[length];
		in.get(string);
		return new String(string, StandardCharsets.US_ASCII);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

	private ZMQ.Socket socket(SocketType type) {
		ZMQ.Socket socket = this.context.createSocket(type);
		socket.setHandshakeIvl(1_000);
		socket.setLinger(0);
		return socket;
	}

	@Override
	public void close() {
		this.closing.countDown();
		try {
			this.thread.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
