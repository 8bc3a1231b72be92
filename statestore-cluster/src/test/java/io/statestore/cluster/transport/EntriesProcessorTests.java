package io.statestore.cluster.transport;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import javax.net.ssl.SSLContext;

import com.alipay.sofa.jraft.NodeManager;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.RaftOutter.EntryMeta;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.util.Endpoint;
import com.google.protobuf.Message;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.broker.log.SpareSpace;
import io.statestore.broker.security.PemFiles;
import io.statestore.test.FreePorts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests leaders' requests to a node that is busy with earlier requests. */
class EntriesProcessorTests {

	private static final String GROUP = "entries";

	private static final int LEADER = 1;

	private static final int NEXT_LEADER = 2;

	private static final AppendEntriesResponse SUCCESS = AppendEntriesResponse.newBuilder()
		.setTerm(1)
		.setSuccess(true)
		.build();

	@TempDir
	private Path directory;

	private final List<AutoCloseable> resources = new ArrayList<>();

	private final DiskAdmission admission = new DiskAdmission(new SpareSpace(0));

	private SSLContext tls;

	private Endpoint endpoint;

	private BusyNode node;

	private PeerTransport transport;

	@BeforeEach
	void start() throws Exception {
		CertificateAuthority authority = CertificateAuthority.create("cluster", Duration.ofDays(1));
		IssuedCertificate issued = authority.issue(CertificateRequest.node(List.of("127.0.0.1"), Duration.ofDays(1)));
		this.tls = PemFiles
			.of(Files.writeString(this.directory.resolve("crt"), issued.certificatePem()),
					Files.writeString(this.directory.resolve("key"), issued.keyPem()))
			.withAuthorities(Files.writeString(this.directory.resolve("ca"), authority.certificate().certificatePem()))
			.newContext();
		this.endpoint = new Endpoint("127.0.0.1", FreePorts.next());
		this.node = new BusyNode(new PeerId(this.endpoint, 0));
		NodeManager.getInstance().addAddress(this.endpoint);
		NodeManager.getInstance().add(this.node);
		this.transport = transport(this.endpoint);
		this.transport.start();
	}

	@AfterEach
	void stop() throws Exception {
		this.node.released.countDown();
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
		NodeManager.getInstance().remove(this.node);
		NodeManager.getInstance().removeAddress(this.endpoint);
	}

	private PeerTransport transport(Endpoint self) {
		PeerTransport transport = new PeerTransport(
				new TransportOptions(GROUP, self, new InetSocketAddress(self.getIp(), self.getPort()), () -> this.tls,
						65_536, Duration.ofMinutes(1), new KnownDirectories("", "")),
				this.admission, Reachability.ALL);
		this.resources.add(transport);
		return transport;
	}

	/**
	 * Returns a client of the node, with its own connection, for a leader at the given
	 * port.
	 */
	private PeerClient leader(int port) {
		PeerClient client = new PeerClient();
		client.init(new ClusterNodeOptions(transport(new Endpoint("127.0.0.1", port))));
		return client;
	}

	private AppendEntriesRequest.Builder heartbeat(int port, long index) {
		return AppendEntriesRequest.newBuilder()
			.setGroupId(GROUP)
			.setServerId("127.0.0.1:" + port)
			.setPeerId(this.endpoint.toString())
			.setTerm(1)
			.setPrevLogTerm(1)
			.setPrevLogIndex(index)
			.setCommittedIndex(0);
	}

	private CompletableFuture<Object> send(PeerClient client, AppendEntriesRequest.Builder request) {
		return PeerTransportTests.send(client, this.endpoint, request.build());
	}

	private CompletableFuture<Object> sendEntry(PeerClient client, int port, long index) {
		return send(client, heartbeat(port, index)
			.addEntries(EntryMeta.newBuilder().setTerm(1).setType(EntryType.ENTRY_TYPE_NO_OP)));
	}

	private static void assertAnswered(CompletableFuture<Object> call) {
		assertThat(call).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(SUCCESS);
	}

	@Test
	void nextLeaderDoesNotWaitForWorkOfEarlierLeader() throws Exception {
		PeerClient leader = leader(LEADER);
		this.node.blocks = true;
		sendEntry(leader, LEADER, 1);
		sendEntry(leader, LEADER, 2);
		this.node.entered.await();
		leader.shutdown();
		PeerClient next = leader(NEXT_LEADER);
		assertAnswered(send(next, heartbeat(NEXT_LEADER, 1)));
		assertAnswered(sendEntry(next, NEXT_LEADER, 1));
		assertThat(this.node.released.getCount()).isOne();
	}

	@Test
	void answersOnNewConnectionAfterEarlierWorkEnds() throws Exception {
		PeerClient earlier = leader(LEADER);
		this.node.answers = false;
		sendEntry(earlier, LEADER, 1);
		RpcRequestClosure late = this.node.awaitUnanswered();
		earlier.shutdown();
		this.node.answers = true;
		PeerClient later = leader(LEADER);
		assertAnswered(sendEntry(later, LEADER, 1));
		late.sendResponse(SUCCESS);
		assertAnswered(sendEntry(later, LEADER, 2));
	}

	@Test
	void returnsSpaceWhenConnectionHasEnded() throws Exception {
		PeerClient leader = leader(LEADER);
		this.node.answers = false;
		CompletableFuture<Object> call = sendEntry(leader, LEADER, 1);
		RpcRequestClosure late = this.node.awaitUnanswered();
		leader.shutdown();
		assertThat(call).failsWithin(Duration.ofSeconds(30));
		this.node.answers = true;
		// This gives the node time to notice the end of the connection.
		assertAnswered(sendEntry(leader(NEXT_LEADER), NEXT_LEADER, 1));
		assertThat(this.admission.requests()).isOne();
		late.sendResponse(SUCCESS);
		await().until(() -> this.admission.requests() == 0);
	}

	@Test
	void returnsSpaceWhenAnsweredAfterClose() throws Exception {
		this.node.answers = false;
		sendEntry(leader(LEADER), LEADER, 1);
		RpcRequestClosure late = this.node.awaitUnanswered();
		this.transport.close();
		late.sendResponse(SUCCESS);
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void keepsRequestsOnConnectionInOrder() {
		PeerClient leader = leader(LEADER);
		List<CompletableFuture<Object>> calls = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			calls.add((i % 3 == 0) ? send(leader, heartbeat(LEADER, i)) : sendEntry(leader, LEADER, i));
		}
		calls.forEach(EntriesProcessorTests::assertAnswered);
		assertThat(this.node.indexes).containsExactlyElementsOf(LongStream.range(0, 500).boxed().toList());
	}

	@Test
	void continuesAfterFailedRequest() {
		PeerClient leader = leader(LEADER);
		this.node.fails = true;
		assertThat(sendEntry(leader, LEADER, 1)).succeedsWithin(Duration.ofSeconds(30)).isNotEqualTo(SUCCESS);
		this.node.fails = false;
		assertAnswered(sendEntry(leader, LEADER, 1));
		assertThat(this.admission.requests()).isZero();
	}

	/** A node that was not started and whose work the test controls. */
	private static final class BusyNode extends NodeImpl {

		/** Counted down when the node begins to block. */
		private final CountDownLatch entered = new CountDownLatch(1);

		private final CountDownLatch released = new CountDownLatch(1);

		private final BlockingQueue<RpcRequestClosure> unanswered = new LinkedBlockingQueue<>();

		private final List<Long> indexes = new ArrayList<>();

		/** Whether the first leader's requests block. */
		private volatile boolean blocks;

		private volatile boolean answers = true;

		private volatile boolean fails;

		BusyNode(PeerId self) {
			super(GROUP, self);
		}

		RpcRequestClosure awaitUnanswered() throws InterruptedException {
			RpcRequestClosure done = this.unanswered.poll(30, TimeUnit.SECONDS);
			assertThat(done).isNotNull();
			return done;
		}

		@Override
		public @Nullable Message handleAppendEntriesRequest(AppendEntriesRequest request, RpcRequestClosure done) {
			if (this.fails) {
				throw new IllegalStateException("Cannot process the request");
			}
			if (this.blocks && request.getServerId().endsWith(":" + LEADER)) {
				this.entered.countDown();
				awaitRelease();
			}
			synchronized (this.indexes) {
				this.indexes.add(request.getPrevLogIndex());
			}
			if (this.answers) {
				return SUCCESS;
			}
			this.unanswered.add(done);
			return null;
		}

		private void awaitRelease() {
			try {
				this.released.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
