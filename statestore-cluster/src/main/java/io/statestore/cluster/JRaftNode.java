package io.statestore.cluster;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.ReentrantLock;

import com.alipay.sofa.jraft.entity.EnumOutter.ErrorType;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import io.statestore.broker.log.SpareSpace;
import io.statestore.cluster.transport.PeerTransport;

/**
 * JRaft node with its open files. It ends at the first disk error, and
 * {@link NodeSupervisor} then starts another node.
 */
final class JRaftNode implements NodeSupervisor.Supervised {

	private final NodeFiles files;

	private final ElectingNode node;

	private final ReentrantLock closeLock = new ReentrantLock();

	private boolean closed;

	private JRaftNode(NodeFiles files, ElectingNode node) {
		this.files = files;
		this.node = node;
	}

	/**
	 * Opens the files and starts a node.
	 * @param executor runs the node's attempts to stand for election
	 * @throws IOException if the files cannot be opened or the node cannot start
	 */
	static JRaftNode start(RaftNodeOptions options, NodeDirectory directory, SpareSpace spare, PeerTransport transport,
			MachineCaller caller, ScheduledExecutorService executor) throws IOException {
		NodeFiles files = new NodeFiles(options, directory, spare);
		JRaftNode started = new JRaftNode(files,
				new ElectingNode(options.cluster(), directory.self(), files, executor));
		try {
			caller.begin(started.files.log());
			List<Member> members = directory.founders();
			if (!started.node.init(JRaftOptions.of(options, members, started.files, transport, caller))) {
				throw new IOException("Node " + directory.self() + " cannot start with directory " + options.directory()
						+ ". The log shows the reason");
			}
			return started;
		}
		catch (IOException | RuntimeException | Error ex) {
			started.close();
			throw ex;
		}
	}

	ElectingNode node() {
		return this.node;
	}

	NodeFiles files() {
		return this.files;
	}

	@Override
	public void fail(Throwable cause) {
		if (this.node.getNodeState().isActive()) {
			// Use another thread, because the node may be waiting for this thread.
			ForkJoinPool.commonPool()
				.execute(() -> this.node.onError(new RaftException(ErrorType.ERROR_TYPE_STATE_MACHINE,
						RaftError.ESTATEMACHINE, "%s", String.valueOf(cause.getMessage()))));
		}
	}

	/** Ends a wait for disk space. */
	void closing() {
		this.files.log().closing();
	}

	/** Stops the node and closes the files. Waits until both are done. */
	@Override
	public void close() {
		closing();
		this.closeLock.lock();
		try {
			if (!this.closed) {
				this.closed = true;
				try {
					stop();
				}
				finally {
					this.files.close();
				}
			}
		}
		finally {
			this.closeLock.unlock();
		}
	}

	private void stop() {
		this.node.shutdown(null);
		try {
			this.node.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
