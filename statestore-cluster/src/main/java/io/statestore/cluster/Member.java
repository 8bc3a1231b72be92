package io.statestore.cluster;

import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.util.Endpoint;

/**
 * A cluster node: the address that other nodes connect to, and a number.
 *
 * @param host host name or IP address, without brackets
 * @param port TCP port
 * @param number 0 for a node that was a member of its cluster from the beginning. Other
 * nodes choose a random number when they start with an empty directory. A node that lost
 * its directory is therefore a new member at the same address, and cannot vote twice
 */
public record Member(String host, int port, int number) {

	public Member {
		if (host.isBlank() || port < 1 || port > 65_535 || number < 0) {
			throw new IllegalArgumentException(
					"'" + host + ':' + port + "' is not the address of a node. Use a host and a port, such as a:1885");
		}
	}

	/**
	 * Creates a member with the number 0.
	 * @param host host name or IP address, without brackets
	 * @param port TCP port
	 */
	public Member(String host, int port) {
		this(host, port, 0);
	}

	Member withNumber(int number) {
		return new Member(this.host, this.port, number);
	}

	Endpoint endpoint() {
		return new Endpoint((this.host.indexOf(':') >= 0) ? '[' + this.host + ']' : this.host, this.port);
	}

	/** Returns the host and port, without the number. */
	String address() {
		return withNumber(0).toString();
	}

	PeerId peer() {
		return new PeerId(endpoint(), this.number);
	}

	/**
	 * Parses a member.
	 * @param text host and port, followed by the number unless it is 0. An IPv6 address
	 * has brackets
	 * @return the member
	 * @throws IllegalArgumentException if the text does not describe a member
	 */
	public static Member parse(String text) {
		PeerId peer = new PeerId();
		if (!peer.parse(text)) {
			throw new IllegalArgumentException(
					"'" + text + "' is not the address of a node. Use a host and a port, such as a:1885");
		}
		return of(peer);
	}

	static Member of(PeerId peer) {
		String host = peer.getIp();
		return new Member(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, peer.getPort(),
				peer.getIdx());
	}

	@Override
	public String toString() {
		return peer().toString();
	}

}
