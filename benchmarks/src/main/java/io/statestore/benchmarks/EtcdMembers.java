package io.statestore.benchmarks;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Three members of etcd, which trust each other without TLS. */
final class EtcdMembers extends ThreeNodes {

	static final Kind KIND = new Kind("jetcd on etcd", EtcdMembers::new);

	private static final Pattern MEMBER = Pattern.compile("\"member_id\":\"(\\d+)\"");

	private static final Pattern LEADER = Pattern.compile("\"leader\":\"(\\d+)\"");

	private final List<Integer> peerPorts = freePorts();

	EtcdMembers(Path directory) throws IOException {
		super(directory);
	}

	static boolean isInstalled() {
		return ServerProcess.find("etcd") != null;
	}

	@Override
	List<String> command(int node, boolean first) {
		String url = url(port(node));
		String peerUrl = url(this.peerPorts.get(node));
		String name = "member-" + node;
		return List.of(String.valueOf(ServerProcess.find("etcd")), "--name", name, "--data-dir",
				this.directory.resolve(name).toString(), "--listen-client-urls", url, "--advertise-client-urls", url,
				"--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl, "--initial-cluster",
				join((member) -> "member-" + member + '=' + url(this.peerPorts.get(member))), "--initial-cluster-state",
				first ? "new" : "existing", "--quota-backend-bytes", String.valueOf(8L << 30));
	}

	private static String url(int port) {
		return "http://127.0.0.1:" + port;
	}

	@Override
	boolean serves(int node) throws InterruptedException {
		return response(request(port(node), "/health")).contains("true");
	}

	@Override
	boolean leads(int node) throws InterruptedException {
		String status = response(
				request(port(node), "/v3/maintenance/status").POST(HttpRequest.BodyPublishers.ofString("{}")));
		Matcher member = MEMBER.matcher(status);
		Matcher leader = LEADER.matcher(status);
		return member.find() && leader.find() && member.group(1).equals(leader.group(1));
	}

	@Override
	Caller connect(List<Integer> ports, Calls calls) {
		return calls.jetcd(ports);
	}

}
