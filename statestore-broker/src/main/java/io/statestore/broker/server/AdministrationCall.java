package io.statestore.broker.server;

import io.statestore.protocol.Administration;
import io.statestore.protocol.AdministrationRequest;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.HistoryQuery;
import io.statestore.protocol.LockQuery;
import io.statestore.protocol.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * An administration request that can be answered. Does not hold the message that
 * contained it.
 *
 * @param request the request without its content
 * @param responseTopic the topic for the answer
 * @param correlationData the correlation data for the answer
 * @param query the decoded request, or {@code null} if the request is refused
 * @param refusal why the request is refused
 */
record AdministrationCall(IncomingRequest request, String responseTopic, Bytes correlationData,
		@Nullable AdministrationRequest query, ErrorReason refusal) {

	/** Decodes a request. Returns {@code null} if it cannot be answered. */
	static @Nullable AdministrationCall of(IncomingRequest request, boolean authorized) {
		String responseTopic = request.responseTopic();
		Bytes correlationData = request.correlationData();
		if (request.qos() != 1 || responseTopic == null || correlationData == null) {
			return null;
		}
		correlationData = correlationData.compact();
		IncomingRequest kept = request.withoutContent(responseTopic, correlationData);
		ErrorReason refusal = authorized ? ErrorReason.UNKNOWN : ErrorReason.NOT_AUTHORIZED;
		try {
			AdministrationRequest query = compact(Administration.decodeRequest(request.payload()));
			// Every client may read the history of the keys that it may read.
			if (!authorized && !(query instanceof HistoryQuery)) {
				return new AdministrationCall(kept, responseTopic, correlationData, null, refusal);
			}
			return new AdministrationCall(kept, responseTopic, correlationData, query, ErrorReason.UNKNOWN);
		}
		catch (ProtocolException ex) {
			return new AdministrationCall(kept, responseTopic, correlationData, null,
					authorized ? ex.reason() : refusal);
		}
	}

	private static AdministrationRequest compact(AdministrationRequest request) {
		if (request instanceof HistoryQuery query) {
			return new HistoryQuery(query.pattern().compact(), query.after(), query.content(), query.latest(),
					query.token());
		}
		if (!(request instanceof LockQuery query)) {
			return request;
		}
		return new LockQuery(query.pattern().compact(), query.all(), query.token());
	}

	/** Returns how many bytes from the client this object holds. */
	int bytes() {
		int bytes = this.request.bytes();
		if (this.query instanceof HistoryQuery history) {
			bytes += history.pattern().length() + ((history.token() != null) ? history.token().length() : 0);
		}
		if (this.query instanceof LockQuery locks) {
			bytes += locks.pattern().length() + ((locks.token() != null) ? locks.token().length() : 0);
		}
		return bytes;
	}

}
