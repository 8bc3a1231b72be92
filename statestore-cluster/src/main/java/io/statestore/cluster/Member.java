package io.statestore.cluster;

import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.util.Endpoint;

/**
 * A node of a cluster, by the address that the other nodes connect to. The address is its
 * identity.
 *
 * @param host host name or IP address, without brackets
 * @param port TCP port
 */
public record Member(String host, int port) {

	public Member {
		if (host.isBlank() || port < 1 || port > 65_535) {
			throw new IllegalArgumentException(
					"'" + host + ':' + port + "' is not the address of a node. Use a host and a port, such as a:1885");
		}
	}

	Endpoint endpoint() {
		return new Endpoint((this.host.indexOf(':') >= 0) ? '[' + this.host + ']' : this.host, this.port);
	}

	PeerId peer() {
		return new PeerId(endpoint(), 0);
	}

	static Member of(PeerId peer) {
		String host = peer.getIp();
		return new Member(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, peer.getPort());
	}

	@Override
	public String toString() {
		return endpoint().toString();
	}

}
