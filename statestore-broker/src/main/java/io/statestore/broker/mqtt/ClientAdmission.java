package io.statestore.broker.mqtt;

import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.statestore.broker.memory.MemoryUse;
import io.statestore.broker.principal.PrincipalShare;
import io.statestore.broker.principal.Principals;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.server.ClientLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Admission of one client: the memory for its connection and login, its permissions, and
 * its principal's limits. Used on the connection's event loop.
 */
final class ClientAdmission implements AutoCloseable {

	private static final ClientLog clientLog = new ClientLog(LoggerFactory.getLogger(ClientAdmission.class));

	/** Estimated heap of a connection with its MQTT session, in bytes. */
	static final int CONNECTION_COST = 16 * 1024;

	/** Number of copies of the client id and the will in the connection's objects. */
	private static final int COPIES_OF_CONNECT = 4;

	/** Estimated heap of a connection whose login is being verified, in bytes. */
	private static final int LOGIN_COST = 4 * 1024;

	/** Number of copies of the CONNECT while its login is being verified. */
	private static final int COPIES_FOR_LOGIN = 2;

	private final ClientLink link;

	private final MqttSecurity security;

	private final Principals principals;

	private PrincipalShare share = PrincipalShare.UNLIMITED;

	ClientAdmission(ClientLink link, MqttSecurity security, Principals principals) {
		this.link = link;
		this.security = security;
		this.principals = principals;
	}

	/** Returns the estimated heap of a connection while its login is being verified. */
	long costOfLogin(MqttConnectMessage connect) {
		return LOGIN_COST + costOfTls() + (long) COPIES_FOR_LOGIN * connect.fixedHeader().remainingLength();
	}

	/** Reserves memory for a connection that is about to be accepted. */
	boolean tryReserve(MqttConnectMessage connect) {
		this.link.memory().set(MemoryUse.LOGIN, 0);
		return this.link.memory()
			.tryReserve(MemoryUse.CONNECTION,
					CONNECTION_COST + costOfTls() + (long) COPIES_OF_CONNECT * connect.fixedHeader().remainingLength());
	}

	private int costOfTls() {
		return ServerSslHandler.sessions(this.link.context().channel()) * TlsAcceptor.CONNECTION_COST;
	}

	/**
	 * Determines an authenticated client's permissions.
	 * @return the permissions, or {@code null} if the authorizer has failed
	 */
	@Nullable Permissions authorize(Client client) {
		try {
			return this.security.permissions(client);
		}
		catch (OutOfMemoryError ex) {
			throw ex;
		}
		catch (Throwable ex) {
			// Includes checked exceptions, and errors that a single client id causes.
			clientLog.error(ex,
					"Failed to determine the permissions of client '{}', so it is refused. Check the authorizer",
					client.clientId());
			return null;
		}
	}

	/** Admits an authenticated client if its principal's limits allow it. */
	boolean tryAdmit(Client client) {
		PrincipalShare admitted = this.principals.admit(client.principal(), client.clientId());
		if (admitted == null) {
			clientLog.warn(
					"Refused client '{}': '{}' has {} connections, which is the maximum. Close unused connections, or "
							+ "raise --max-connections-per-user",
					client.clientId(), client.principal(), this.principals.limits().maxConnections());
			return false;
		}
		this.share = admitted;
		this.link.memory().setOwner(client.principal()::name);
		return true;
	}

	/**
	 * Returns the connection's share of its principal's limits; unlimited until the
	 * client is admitted.
	 */
	PrincipalShare share() {
		return this.share;
	}

	/** Ends the connection's share. Later calls have no effect. */
	@Override
	public void close() {
		this.share.close();
	}

}
