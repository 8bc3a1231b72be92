package io.statestore.cluster;

import java.util.List;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.option.ReadOnlyOption;
import io.statestore.cluster.transport.DiskAdmission;
import io.statestore.cluster.transport.ClusterNodeOptions;
import io.statestore.cluster.transport.PeerTransport;

/** Options of JRaft. */
final class JRaftOptions {

	/** Size of entries above which no more are sent in one request, in bytes. */
	static final int MAX_BODY_BYTES = 512 << 10;

	/**
	 * Requests with entries that are sent to a peer before it answers the first one. Each
	 * holds up to {@link #MAX_BODY_BYTES}, and the default of 256 could exhaust a small
	 * heap while a peer that was down catches up.
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
		// JRaft requires the names, but NodeFiles decides.
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
