package io.statestore.broker.mqtt;

import io.statestore.broker.principal.PrincipalShare;
import io.statestore.broker.principal.Principals;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.server.ClientLog;
import org.slf4j.LoggerFactory;

/**
 * Applies the limits of a principal to one connection. Used on the event loop of the
 * connection only.
 */
final class SessionLimits implements AutoCloseable {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(SessionLimits.class));

	private final Principals principals;

	private PrincipalShare share = PrincipalShare.UNLIMITED;

	/** Creates the limits of a connection that is not admitted yet. */
	SessionLimits(Principals principals) {
		this.principals = principals;
	}

	/**
	 * Admits the connection.
	 * @return {@code false} if its principal has too many connections
	 */
	boolean admit(ClientPrincipal principal, String clientId) {
		PrincipalShare admitted = this.principals.admit(principal, clientId);
		if (admitted == null) {
			clientLog.warn("Refused client '{}': '{}' has {} connections, which is the maximum. Close unused ones, or "
					+ "raise --max-connections-per-principal or statestore.embedded.max-connections-per-principal",
					clientId, principal, this.principals.limits().maxConnections());
			return false;
		}
		this.share = admitted;
		return true;
	}

	/** Returns the share of the connection, without limits before it is admitted. */
	PrincipalShare share() {
		return this.share;
	}

	/** Ends the connection. Has no effect the second time. */
	@Override
	public void close() {
		this.share.close();
	}

}
