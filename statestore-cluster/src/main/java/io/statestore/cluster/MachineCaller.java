package io.statestore.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Executor;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.StateMachineAdapter;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import io.statestore.broker.log.SnapshotFile;
import io.statestore.broker.log.SnapshotInput;
import io.statestore.broker.log.SnapshotOutput;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes what JRaft commits to the machine. JRaft calls it on one thread. */
final class MachineCaller extends StateMachineAdapter {

	private static final Logger logger = LoggerFactory.getLogger(MachineCaller.class);

	private final ReplicatedMachine machine;

	/** Identity in the snapshots of the cluster. */
	private final UUID cluster;

	private final Executor background;

	private long applied;

	private volatile boolean leading;

	MachineCaller(ReplicatedMachine machine, UUID cluster, Executor background) {
		this.machine = machine;
		this.cluster = cluster;
		this.background = background;
	}

	/**
	 * Returns whether this node is the leader and has applied all entries of earlier
	 * ones.
	 */
	boolean isLeading() {
		return this.leading;
	}

	@Override
	public void onApply(Iterator entries) {
		while (entries.hasNext()) {
			Proposal proposal = (entries.done() instanceof Proposal own) ? own : null;
			try {
				this.machine.apply(entries.getIndex(), entries.getData().asReadOnlyBuffer(),
						(proposal != null) ? proposal.attachment() : null);
			}
			catch (RuntimeException | Error ex) {
				// JRaft would only log an error, and apply the entry again.
				logger.error("Failed to apply entry {}", entries.getIndex(), ex);
				entries.setErrorAndRollback(1, new Status(RaftError.ESTATEMACHINE, "Cannot apply entry: %s", ex));
				return;
			}
			this.applied = entries.getIndex();
			if (proposal != null) {
				proposal.applied(this.applied);
			}
			entries.next();
		}
	}

	@Override
	public void onSnapshotSave(SnapshotWriter writer, Closure done) {
		ReplicatedMachine.Snapshot snapshot;
		try {
			snapshot = this.machine.snapshot();
		}
		catch (RuntimeException ex) {
			// JRaft would wait for the snapshot forever.
			done.run(new Status(RaftError.EAGAIN, "Cannot begin a snapshot: %s", ex));
			return;
		}
		long index = this.applied;
		this.background.execute(() -> done.run(write(writer, snapshot, index)));
	}

	/**
	 * Writes a snapshot. A full disk is no input/output error for JRaft, which would end
	 * the node.
	 */
	private Status write(SnapshotWriter writer, ReplicatedMachine.Snapshot snapshot, long index) {
		try (SnapshotOutput output = SnapshotFile.create(Path.of(writer.getPath()), this.cluster, index)) {
			snapshot.write(output);
			output.commit();
			return writer.addFile(SnapshotFile.name(index)) ? Status.OK()
					: new Status(RaftError.EAGAIN, "The snapshot cannot be added");
		}
		catch (IOException | RuntimeException ex) {
			logger.error("Cannot write a snapshot; the log keeps its entries", ex);
			return new Status(RaftError.EAGAIN, "Cannot write a snapshot: %s", ex);
		}
	}

	@Override
	public boolean onSnapshotLoad(SnapshotReader reader) {
		String name = reader.listFiles().stream().findFirst().orElse("");
		Path file = Path.of(reader.getPath(), name);
		try {
			SnapshotFile.verify(file, this.cluster);
			try (SnapshotInput input = SnapshotFile.open(file, this.cluster)) {
				this.machine.restore(input.index(), input);
				this.applied = input.index();
			}
			return true;
		}
		catch (IOException | RuntimeException | Error ex) {
			logger.error("Cannot read snapshot {}", file, ex);
			return false;
		}
	}

	@Override
	public void onLeaderStart(long term) {
		this.leading = true;
		this.machine.leading(term);
	}

	@Override
	public void onLeaderStop(Status status) {
		this.leading = false;
		this.machine.following();
	}

	@Override
	public void onError(RaftException failure) {
		this.leading = false;
		logger.error("The node has failed", failure);
		this.machine.failed(failure);
	}

}
