package io.statestore.broker.faults;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.AdministrationClient;
import io.statestore.client.mqtt.internal.AdministrationClient.AdministrationUnavailableException;
import io.statestore.protocol.Administration;
import io.statestore.protocol.ClusterRequest;
import io.statestore.protocol.ClusterRequest.Action;
import org.jspecify.annotations.Nullable;

/**
 * Repeatedly moves leadership to any node that does not lead, using the same request as
 * {@code statestore cluster transfer}. The leader may refuse that node if another fault
 * has made it unreachable or has filled its disk.
 */
final class LeaderTransfers implements Fault {

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * Request timeout. The leader first asks the other nodes for their states, for up to
	 * a second.
	 */
	private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(3);

	private static final Duration LEAD_TIMEOUT = Duration.ofSeconds(2);

	private static final int CHECK_MILLIS = 20;

	private static final int MAX_PAUSE_MILLIS = 500;

	private final Nodes nodes;

	private final Random random;

	private final Runnable transferred;

	private final FutureTask<Void> task = new FutureTask<>(this::run, null);

	private volatile boolean ended;

	/**
	 * Begins the transfers.
	 * @param transferred called after each transfer that made the other node the leader
	 */
	LeaderTransfers(Nodes nodes, long seed, Runnable transferred) {
		this.nodes = nodes;
		this.random = new Random(seed);
		this.transferred = transferred;
		new Thread(this.task, "leader transfers").start();
	}

	private void run() {
		try (StateStoreConnection connection = new StateStoreConnection(ConnectionOptions.builder()
			.hosts(this.nodes.addresses().stream().map(LeaderTransfers::host).toList())
			.connectTimeout(CONNECT_TIMEOUT)
			.startTimeout(CONNECT_TIMEOUT)
			.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(200))
			.build())) {
			AdministrationClient administration = new AdministrationClient(connection);
			connection.start();
			while (!this.ended) {
				Node next = this.nodes.any(this.random);
				if (!next.leads() && requestTransfer(administration, next) && leadsSoon(next)) {
					this.transferred.run();
				}
				Thread.sleep(this.random.nextInt(MAX_PAUSE_MILLIS));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static String host(InetSocketAddress address) {
		return address.getAddress().getHostAddress() + ':' + address.getPort();
	}

	/**
	 * Requests a transfer, and returns whether it may take place. A leader that loses
	 * leadership does not always answer.
	 */
	private static boolean requestTransfer(AdministrationClient administration, Node next) throws InterruptedException {
		try {
			administration.change(ClusterRequest.of(Action.TRANSFER, next.name()), REQUEST_TIMEOUT).get();
			return true;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof AdministrationUnavailableException) {
				return true;
			}
			if (isRefused(ex.getCause())) {
				return false;
			}
			throw new AssertionError("A transfer of leadership failed", ex);
		}
	}

	/** Returns whether leadership is already moving, or the other node cannot lead. */
	private static boolean isRefused(@Nullable Throwable failure) {
		String message = (failure instanceof StateStoreRefusedException) ? String.valueOf(failure.getMessage()) : "";
		return message.startsWith(Administration.NOT_YET) || message.contains("cannot lead");
	}

	private static boolean leadsSoon(Node next) throws InterruptedException {
		long end = System.nanoTime() + LEAD_TIMEOUT.toNanos();
		boolean leads;
		do {
			Thread.sleep(CHECK_MILLIS);
			leads = next.leads();
		}
		while (!leads && System.nanoTime() < end);
		return leads;
	}

	@Override
	public void end() throws Exception {
		this.ended = true;
		this.task.get();
	}

}
