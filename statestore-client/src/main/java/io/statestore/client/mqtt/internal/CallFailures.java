package io.statestore.client.mqtt.internal;

import java.time.Duration;

import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.protocol.Topics;

/**
 * Failures of a call, other than refusals by the state store.
 *
 * @param verb name of the command
 * @param timeout timeout of the call
 * @param connection connection of the call
 */
record CallFailures(String verb, Duration timeout, MqttConnection connection) {

	private static final String READ_THE_KEY = "Read the key to find out whether it was executed";

	/** Returns the failure of a call that the link did not accept. */
	StateStoreException notTaken(Exception cause) {
		return new StateStoreNotSentException(this.verb + " could not be sent: " + Failures.describe(cause), cause);
	}

	/** Returns the failure of a call that was not sent before its deadline. */
	StateStoreException notSentInTime() {
		String message = this.verb + " was not sent within " + seconds() + ". ";
		return new StateStoreNotSentException(this.connection.isConnected()
				? message + "The broker at " + url() + " did not acknowledge or answer earlier requests fast enough"
				: message + this.connection.outage());
	}

	/** Returns the failure of a call that must not wait for a connection. */
	StateStoreException disconnected(boolean sent) {
		return sent
				? new StateStoreOutcomeUnknownException(this.verb
						+ " was sent, and the connection ended before its reply came. " + this.connection.outage())
				: new StateStoreNotSentException(this.verb + " was not sent. " + this.connection.outage());
	}

	/** Returns the failure of a read that was sent and not sent again in time. */
	StateStoreException notSentAgainInTime() {
		return new StateStoreOutcomeUnknownException(
				this.verb + " was sent, the connection broke, and there was no new connection within " + seconds()
						+ ". " + this.connection.outage());
	}

	/** Returns the failure of a write that was sent over a connection that broke. */
	StateStoreException connectionLost(String cause) {
		String lost = this.connection.options().url(this.connection.address());
		return new StateStoreOutcomeUnknownException("The connection to " + lost + " was lost (" + cause + ") after "
				+ this.verb + " was sent and before its reply came. " + READ_THE_KEY);
	}

	/**
	 * Returns the failure of a call without reply.
	 * @param acknowledged whether the broker has accepted the request
	 * @param everReplied whether any call has been answered
	 */
	StateStoreException unanswered(boolean acknowledged, boolean everReplied) {
		String message = "No reply to " + this.verb + " within " + seconds() + " from " + url();
		if (!acknowledged) {
			return new StateStoreOutcomeUnknownException(
					message + ", which has not even acknowledged it. " + READ_THE_KEY);
		}
		ConnectionDiagnosis diagnosis = everReplied ? ConnectionDiagnosis.NO_REPLY : ConnectionDiagnosis.NO_REPLY_EVER;
		return new StateStoreOutcomeUnknownException(message + ", which accepted the request; " + diagnosis.cause()
				+ ". Replies go to '" + Topics.response(this.connection.getClientId()) + "'. " + diagnosis.nextStep()
				+ ' ' + READ_THE_KEY);
	}

	/** Returns the failure of a request that no subscriber has received. */
	StateStoreException noSubscriber() {
		return new StateStoreNotSentException("The broker at " + url() + " knows no subscriber of '" + Topics.REQUEST
				+ "': " + ConnectionDiagnosis.NO_STORE.cause() + ". " + ConnectionDiagnosis.NO_STORE.nextStep());
	}

	/** Returns the failure of a request that the broker has not accepted. */
	StateStoreException refused(int reasonCode) {
		return new StateStoreNotSentException("At " + url() + ' ' + ConnectionDiagnosis.REQUEST_REFUSED.cause() + ": "
				+ ReasonCode.describe(reasonCode) + ". Client '" + this.connection.getClientId() + "' published to '"
				+ Topics.REQUEST + "'. " + ConnectionDiagnosis.REQUEST_REFUSED.nextStep());
	}

	private String url() {
		return this.connection.getUrl();
	}

	private String seconds() {
		return this.timeout.toMillis() / 1000.0 + " s";
	}

}
