package io.statestore.cluster;

import java.util.List;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.option.ReadOnlyOption;
import io.statestore.cluster.transport.DiskAdmission;
import io.statestore.cluster.transport.ClusterNodeOptions;
import io.statestore.cluster.transport.PeerTransport;

/** Creates JRaft's options. */
final class JRaftOptions {

	/** Size of a request's entries, in bytes, above which no more entries are added. */
	static final int MAX_BODY_BYTES = 512 << 10;

	/**
	 * Maximum number of unanswered requests with entries for each peer. Each holds up to
	 * {@link #MAX_BODY_BYTES}, so the default of 256 could exhaust a small heap while a
	 * peer that was down catches up.
	 */
	static final int MAX_REQUESTS_IN_FLIGHT = 8;

	private JRaftOptions() {
	}

	static NodeOptions of(RaftNodeOptions options, List<Member> members, NodeFiles files, PeerTransport transport,
			MachineCaller caller) {
		NodeOptions node = new ClusterNodeOptions(transport);
		node.setServiceFactory(files);
		node.setFsm(caller);
		node.setInitialConf(new Configuration(members.stream().map(Member::peer).toList()));
		// JRaft requires these names, but NodeFiles determines the files.
		node.setLogUri("log");
		node.setRaftMetaUri("vote");
		node.setSnapshotUri(files.snapshots().toString());
		node.setSnapshotIntervalSecs(0);
		node.setElectionTimeoutMs((int) options.electionTimeout().toMillis());
		node.setDisableCli(true);
		node.setSharedElectionTimer(true);
		node.setSharedVoteTimer(true);
		node.setSharedStepDownTimer(true);
		node.setSharedSnapshotTimer(true);
		RaftOptions raft = new RaftOptions();
		raft.setMaxBodySize(Math.min(MAX_BODY_BYTES, DiskAdmission.maxRequestBytes(options.spareBytes())));
		raft.setMaxReplicatorInflightMsgs(MAX_REQUESTS_IN_FLIGHT);
		raft.setMaxElectionDelayMs((int) options.electionTimeout().toMillis() / 2);
		raft.setSync(true);
		raft.setSyncMeta(true);
		raft.setReadOnlyOptions(ReadOnlyOption.ReadOnlySafe);
		node.setRaftOptions(raft);
		return node;
	}

}
