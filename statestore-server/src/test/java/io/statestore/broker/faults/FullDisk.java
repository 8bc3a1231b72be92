package io.statestore.broker.faults;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StoreClient;

/**
 * Fills a node's disk. Large values then use up the space that the node's log has
 * allocated in advance, until they are refused.
 */
final class FullDisk implements Fault {

	private static final String VALUE = "x".repeat(50_000);

	/** Maximum number of writes. Limits what the other nodes' disks must hold. */
	private static final int MAX_WRITES = 400;

	private static final int PAUSE_MILLIS = 5;

	private final Node node;

	private final List<InetSocketAddress> addresses;

	private final Runnable refusal;

	private final Thread thread = new Thread(this::write, "full disk");

	private volatile boolean ended;

	/**
	 * Fills the disk.
	 * @param refusal called for each large value that is refused
	 */
	FullDisk(Node node, List<InetSocketAddress> addresses, Runnable refusal) throws IOException {
		this.refusal = refusal;
		this.node = node;
		this.addresses = addresses;
		node.disk().fill();
		this.thread.start();
	}

	private void write() {
		int writes = 0;
		for (int i = 0; !this.ended; i++) {
			try (StoreClient client = StoreClient.connect(this.addresses.get(i % this.addresses.size()), "large")) {
				while (!this.ended) {
					boolean accepted = writes++ < MAX_WRITES
							&& Resp.text(client.call("SET", "large", VALUE)).equals("+OK⏎");
					if (!accepted && writes <= MAX_WRITES) {
						this.refusal.run();
					}
					Thread.sleep(PAUSE_MILLIS);
				}
			}
			catch (RuntimeException | AssertionError ex) {
				// The write was refused, or another fault has ended the connection.
			}
			catch (InterruptedException ex) {
				this.ended = true;
			}
		}
	}

	@Override
	public void end() throws Exception {
		this.ended = true;
		this.node.disk().free();
		this.thread.join();
	}

}
