package io.statestore.cluster.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLContext;

import ch.qos.logback.classic.Level;
import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.util.Endpoint;
import io.statestore.broker.certificates.CertificateAuthority;
import io.statestore.broker.certificates.CertificateRequest;
import io.statestore.broker.certificates.IssuedCertificate;
import io.statestore.broker.log.SpareSpace;
import io.statestore.broker.security.PemFiles;
import io.statestore.test.CapturedLog;
import io.statestore.test.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Tests nodes with a certificate that are not (yet) members of the cluster. */
@Isolated("captures the log")
class MembershipGreetingTests {

	private static final String GROUP = "test";

	private static final String OURS = "ours";

	@TempDir
	private Path directory;

	private final CertificateAuthority authority = CertificateAuthority.create("cluster", Duration.ofDays(1));

	private final List<AutoCloseable> resources = new ArrayList<>();

	private SSLContext tls;

	private Endpoint endpoint;

	/** Directories that the node knows. */
	private KnownDirectories directories;

	private PeerTransport node;

	@BeforeEach
	void start() throws Exception {
		this.tls = tls();
		this.endpoint = freeEndpoint();
		this.directories = new KnownDirectories(OURS, "directory-1");
		this.node = transport(this.endpoint, this.directories);
		this.node.start();
	}

	@AfterEach
	void stop() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
	}

	private static Endpoint freeEndpoint() {
		return new Endpoint("127.0.0.1", FreePorts.next());
	}

	private SSLContext tls() throws IOException, GeneralSecurityException {
		IssuedCertificate issued = this.authority
			.issue(CertificateRequest.node(List.of("127.0.0.1"), Duration.ofDays(1)));
		return PemFiles
			.of(Files.writeString(this.directory.resolve("crt"), issued.certificatePem()),
					Files.writeString(this.directory.resolve("key"), issued.keyPem()))
			.withAuthorities(
					Files.writeString(this.directory.resolve("ca"), this.authority.certificate().certificatePem()))
			.newContext();
	}

	private PeerTransport transport(Endpoint self, String founders) {
		return transport(self, new KnownDirectories(founders, ""));
	}

	private PeerTransport transport(Endpoint self, Directories directories) {
		PeerTransport transport = new PeerTransport(
				new TransportOptions(GROUP, self, new InetSocketAddress(self.getIp(), self.getPort()), () -> this.tls,
						65_536, Duration.ofMinutes(1), directories),
				new DiskAdmission(new SpareSpace(0)), Reachability.ALL);
		this.resources.add(transport);
		return transport;
	}

	private static PeerClient client(PeerTransport transport) {
		PeerClient client = new PeerClient();
		client.init(new ClusterNodeOptions(transport));
		return client;
	}

	private void assertRefused(PeerTransport other, String reason) {
		try (CapturedLog log = new CapturedLog(GreetingHandler.class, Level.WARN)) {
			assertThatExceptionOfType(RemotingException.class)
				.isThrownBy(() -> PeerTransportTests.ping(client(other), this.endpoint))
				.isNotInstanceOf(InvokeTimeoutException.class);
			assertThat(log.messages()).singleElement().asString().contains(reason);
		}
	}

	@Test
	void acceptsMember() throws Throwable {
		Endpoint member = freeEndpoint();
		this.node.acceptMembers(member::equals);
		PeerTransportTests.ping(client(transport(member, OURS)), this.endpoint);
	}

	@Test
	void refusesNodeThatIsNotMember() throws Throwable {
		Endpoint stranger = freeEndpoint();
		this.node.acceptMembers((peer) -> false);
		assertRefused(transport(stranger, OURS), "claims to be " + stranger + ", which is neither one of --peers nor");
	}

	@Test
	void acceptsNodeThatItConnectsTo() throws Throwable {
		this.node.acceptMembers((peer) -> false);
		Endpoint added = freeEndpoint();
		PeerTransport other = transport(added, "");
		other.start();
		PeerTransportTests.ping(client(this.node), added);
		PeerTransportTests.ping(client(other), this.endpoint);
	}

	@Test
	void refusesNodeWithOtherPeersAtFirstStart() throws Throwable {
		assertRefused(transport(freeEndpoint(), "others"), "Compare --peers");
		PeerTransportTests.ping(client(transport(freeEndpoint(), OURS)), this.endpoint);
	}

	@Test
	void acceptsJoinedNode() throws Throwable {
		PeerTransportTests.ping(client(transport(freeEndpoint(), "")), this.endpoint);
	}

	@Test
	void recordsFounderDirectoryAtFirstContact() throws Throwable {
		Endpoint founder = freeEndpoint();
		this.directories.known().put(founder, "");
		PeerTransport other = transport(founder, new KnownDirectories(OURS, "directory-2"));
		await().ignoreExceptionsInstanceOf(RemotingException.class).until(() -> {
			pingNode(client(other));
			return true;
		});
		assertThat(this.directories.known()).containsEntry(founder, "directory-2");
	}

	@Test
	void refusesFounderWithOtherDirectory() throws Throwable {
		Endpoint founder = freeEndpoint();
		this.directories.known().put(founder, "directory-2");
		assertRefused(transport(founder, new KnownDirectories(OURS, "directory-3")), "has lost its data");
		PeerTransportTests.ping(client(transport(founder, new KnownDirectories(OURS, "directory-2"))), this.endpoint);
	}

	@Test
	void refusesFounderThatKnowsAnotherLocalDirectory() throws Throwable {
		Endpoint founder = freeEndpoint();
		this.directories.known().put(founder, "");
		KnownDirectories experienced = new KnownDirectories(OURS, "directory-2");
		experienced.known().put(this.endpoint, "directory-0");
		assertRefused(transport(founder, experienced), "knows another directory of this node, whose data is lost");
		assertThat(this.directories.known()).containsEntry(founder, "");
	}

	@Test
	void acceptsJoinedNodeAtAddressOfFounder() throws Throwable {
		Endpoint founder = freeEndpoint();
		this.directories.known().put(founder, "directory-2");
		PeerTransportTests.ping(client(transport(founder, "")), this.endpoint);
	}

	private void pingNode(PeerClient client) throws RemotingException {
		try {
			PeerTransportTests.ping(client, this.endpoint);
		}
		catch (RemotingException ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new AssertionError(ex);
		}
	}

	@Test
	void computesHandshakesOnOtherThreads() throws Throwable {
		PeerTransportTests.ping(client(transport(freeEndpoint(), OURS)), this.endpoint);
		assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
			.anyMatch((name) -> name.startsWith("statestore-cluster-tls"));
	}

	@Test
	void strangerDoesNotEndConnectionFromOtherAddress() throws Throwable {
		try (Socket patient = connect("127.0.0.3")) {
			List<Socket> flood = new ArrayList<>();
			for (int i = 0; i < UnknownConnections.MAX_PER_ADDRESS + 10; i++) {
				flood.add(connect("127.0.0.2"));
			}
			// Connections are closed in order of arrival, so the earlier connection has
			// had its turn.
			assertThat(flood.get(0).getInputStream().read()).isEqualTo(-1);
			patient.setSoTimeout(1);
			assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> patient.getInputStream().read());
			for (Socket socket : flood) {
				socket.close();
			}
		}
	}

	private Socket connect(String from) throws IOException {
		return new Socket("127.0.0.1", this.endpoint.getPort(), InetAddress.getByName(from), 0);
	}

}
