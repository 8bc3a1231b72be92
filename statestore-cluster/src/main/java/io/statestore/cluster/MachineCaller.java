package io.statestore.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Executor;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.StateMachineAdapter;
import com.alipay.sofa.jraft.entity.EnumOutter.ErrorType;
import com.alipay.sofa.jraft.entity.LeaderChangeContext;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import io.statestore.broker.log.SnapshotFile;
import io.statestore.broker.log.SnapshotInput;
import io.statestore.broker.log.SnapshotOutput;
import io.statestore.broker.server.Replica;
import io.statestore.cluster.storage.RaftLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Passes committed entries, snapshots, and role changes to the machine. JRaft calls it on
 * one thread. It outlives a JRaft node: the next node repeats entries, some of which the
 * machine has already applied.
 */
final class MachineCaller extends StateMachineAdapter {

	private static final Logger logger = LoggerFactory.getLogger(MachineCaller.class);

	private final Member self;

	private final ReplicatedMachine machine;

	/** Identity contained in the cluster's snapshots. */
	private final UUID snapshotId;

	private final Executor background;

	private final SnapshotPolicy policy;

	private final NodeListener listener;

	/**
	 * Index of the last entry that the machine has applied, directly or through a
	 * snapshot.
	 */
	private volatile long applied;

	/**
	 * Index of the last entry that the current JRaft node has passed. Less than
	 * {@link #applied} while the node repeats entries.
	 */
	private long passed;

	private volatile long snapshotIndex;

	private volatile boolean leading;

	/** The leader that the node last followed. Used only on JRaft's thread. */
	private @Nullable LeaderChangeContext followed;

	/**
	 * Whether the machine has failed, so its state may differ from other nodes' machines.
	 */
	private volatile boolean failed;

	/**
	 * Whether JRaft is shutting down because a snapshot could not be read, which can be
	 * retried.
	 */
	private boolean unreadable;

	/**
	 * Creates a caller.
	 * @param snapshotId identity contained in the cluster's snapshots
	 * @param background writes snapshots
	 */
	MachineCaller(Member self, ReplicatedMachine machine, UUID snapshotId, Executor background, SnapshotPolicy policy,
			NodeListener listener) {
		this.self = self;
		this.machine = machine;
		this.snapshotId = snapshotId;
		this.background = background;
		this.policy = policy;
		this.listener = listener;
	}

	/** Prepares for another JRaft node, after the previous node was closed. */
	void begin(RaftLog log) {
		this.machine.starting(log);
		this.passed = 0;
		this.policy.reset();
		follow();
	}

	/**
	 * Returns whether this node is the leader and has applied all entries of earlier
	 * leaders.
	 */
	boolean isLeading() {
		return this.leading;
	}

	long applied() {
		return this.applied;
	}

	/** Returns the index of the last entry of the latest snapshot, 0 if there is none. */
	long snapshotIndex() {
		return this.snapshotIndex;
	}

	@Override
	public void onApply(Iterator entries) {
		while (entries.hasNext()) {
			long index = entries.getIndex();
			Proposal proposal = (entries.done() instanceof Proposal own) ? own : null;
			try {
				apply(index, entries.getTerm(), entries.getData(), (proposal != null) ? proposal.attachment() : null);
			}
			catch (RuntimeException | Error ex) {
				// Otherwise, JRaft would only log an error and apply the entry again.
				this.failed = true;
				logger.error("Failed to apply log entry {}, so this node stops. If it fails again after a restart, "
						+ "replace the node, and report this stack trace", index, ex);
				entries.setErrorAndRollback(1, new Status(RaftError.ESTATEMACHINE, "Cannot apply entry: %s", ex));
				return;
			}
			if (proposal != null) {
				proposal.applied(index);
			}
			entries.next();
		}
		if (this.policy.take()) {
			this.listener.snapshotDue();
		}
	}

	private void apply(long index, long term, ByteBuffer entry, @Nullable Object attachment) {
		this.policy.added(entry.remaining());
		if (index > this.applied) {
			this.machine.apply(index, term, entry.asReadOnlyBuffer(), attachment);
			this.applied = index;
		}
		this.passed = index;
	}

	@Override
	public void onSnapshotSave(SnapshotWriter writer, Closure done) {
		long index = this.applied;
		if (this.passed < index) {
			done.run(new Status(RaftError.EAGAIN, "The node repeats entries"));
			return;
		}
		Replica.Snapshot snapshot;
		try {
			snapshot = this.machine.snapshot();
		}
		catch (RuntimeException ex) {
			// Otherwise, JRaft would wait for the snapshot forever.
			done.run(new Status(RaftError.EAGAIN, "Cannot begin a snapshot: %s", ex));
			return;
		}
		this.policy.begin();
		this.background.execute(() -> done.run(write(writer, snapshot, index)));
	}

	/**
	 * Writes a snapshot. A full disk is not reported as an input/output error, for which
	 * JRaft would end the node.
	 */
	private Status write(SnapshotWriter writer, Replica.Snapshot snapshot, long index) {
		Path file = Path.of(writer.getPath(), SnapshotFile.name(index));
		try (SnapshotOutput output = SnapshotFile.create(Path.of(writer.getPath()), this.snapshotId, index)) {
			snapshot.write(output);
			output.commit();
			snapshot.written(index, file);
			this.policy.written(Files.size(file));
			this.snapshotIndex = index;
			return writer.addFile(SnapshotFile.name(index)) ? Status.OK()
					: new Status(RaftError.EAGAIN, "The snapshot cannot be added");
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("Cannot write a snapshot", ex);
			return new Status(RaftError.EAGAIN, "%s", ex);
		}
	}

	@Override
	public boolean onSnapshotLoad(SnapshotReader reader) {
		String name = reader.listFiles().stream().findFirst().orElse("");
		Path file = Path.of(reader.getPath(), name);
		try {
			SnapshotFile.verify(file, this.snapshotId);
			try (SnapshotInput input = SnapshotFile.open(file, this.snapshotId)) {
				restore(file, input);
			}
			this.policy.loaded(Files.size(file));
			this.snapshotIndex = this.passed;
			return true;
		}
		catch (IOException ex) {
			// Reading may succeed later, unless the machine has lost its state during
			// this attempt.
			this.unreadable = !this.failed;
			logger.error("Cannot read snapshot {}, so this node cannot use it. Check the disk. If the file is damaged, "
					+ "replace the node", file, ex);
			return false;
		}
		catch (RuntimeException | Error ex) {
			logger.error("Cannot read snapshot {}, so this node cannot use it. Check the disk. If the file is damaged, "
					+ "replace the node", file, ex);
			return false;
		}
	}

	private void restore(Path file, SnapshotInput input) throws IOException {
		if (input.index() > this.applied) {
			// Until the machine is restored, its state is incomplete.
			this.failed = true;
			this.machine.restore(input.index(), file, input);
			this.failed = false;
			this.applied = input.index();
		}
		this.passed = input.index();
	}

	@Override
	public void onLeaderStart(long term) {
		logger.info("Node {} is the leader in term {}", this.self, term);
		this.leading = true;
		notifyMachine(() -> this.machine.leading(term));
	}

	@Override
	public void onLeaderStop(Status status) {
		if (status.getRaftError() == RaftError.ERAFTTIMEDOUT) {
			logger.warn("Node {} gave up leadership, because it has not heard from a majority for too long. Check the "
					+ "other nodes and the network. If round trips to them are long, set --election-timeout to at "
					+ "least five times the longest round trip on all nodes (embedded: "
					+ "statestore.embedded.cluster.election-timeout)", this.self);
		}
		follow();
	}

	private void follow() {
		if (this.leading) {
			this.leading = false;
			logger.info("Node {} is no longer the leader", this.self);
			notifyMachine(this.machine::following);
		}
	}

	/**
	 * Notifies the machine, and ends the node if the machine fails. JRaft would only log
	 * the exception and keep leading.
	 */
	private void notifyMachine(Runnable notification) {
		try {
			notification.run();
		}
		catch (RuntimeException | Error ex) {
			this.failed = true;
			this.leading = false;
			this.listener.machineFailed(ex);
		}
	}

	@Override
	public void onStartFollowing(LeaderChangeContext context) {
		LeaderChangeContext last = this.followed;
		this.followed = context;
		// JRaft repeats this call for the same leader if it was silent for a while.
		boolean known = last != null && last.getTerm() == context.getTerm()
				&& last.getLeaderId().equals(context.getLeaderId());
		logger.atLevel(known ? Level.DEBUG : Level.INFO)
			.log("Node {} follows {} in term {}", this.self, context.getLeaderId(), context.getTerm());
	}

	@Override
	public void onStopFollowing(LeaderChangeContext context) {
		logger.debug("Node {} stopped following {}: {}", this.self, context.getLeaderId(), context.getStatus());
	}

	@Override
	public void onConfigurationCommitted(Configuration members) {
		logger.info("The members are {}", members);
	}

	@Override
	public void onShutdown() {
		// The overridden method would log.
	}

	/** Called when the JRaft node has ended. */
	@Override
	public void onError(RaftException failure) {
		follow();
		boolean unreadable = this.unreadable;
		this.unreadable = false;
		if (this.failed || (failure.getType() == ErrorType.ERROR_TYPE_STATE_MACHINE && !unreadable)) {
			this.listener.machineFailed(new IOException(failure.getStatus().getErrorMsg(), failure));
		}
		else {
			this.listener.nodeFailed(new IOException(failure.getStatus().getErrorMsg(), failure));
		}
	}

	interface NodeListener {

		/** Called when the log has grown enough for a snapshot. */
		void snapshotDue();

		/** Called when the node has ended but the machine's state is intact. */
		void nodeFailed(Throwable failure);

		/** Called when the machine's state may differ from other nodes' machines. */
		void machineFailed(Throwable failure);

	}

}
