package io.statestore.broker.server;

import java.util.Map;

import io.statestore.protocol.ErrorReason;

/**
 * A snapshot of a state store's content, and counts of its requests since startup. The
 * numbers are read without stopping the store, so counts may differ slightly while
 * requests are in progress.
 *
 * @param keys number of keys
 * @param maxKeys maximum number of keys
 * @param bytes size of all keys and values, in bytes
 * @param maxBytes maximum size of all keys and values, in bytes
 * @param watchedKeys number of watched keys, each counted once
 * @param replies number of remembered replies
 * @param replyBytes estimated memory of remembered replies, in bytes
 * @param maxReplyBytes maximum memory of remembered replies, in bytes
 * @param evictedReplies replies removed early because this memory was full
 * @param requests requests received, including those counted below
 * @param invalidRequests requests without effect because they could not be answered
 * @param expiredRequests requests without effect because their message expiry had passed
 * @param repeatedRequests redelivered requests, answered with the remembered reply
 * @param refusedRequests requests refused with "the quota has been exceeded", and watches
 * not resumed because memory is exhausted
 * @param connections current number of connected clients
 * @param requestsByCommand requests received, by command. The last command, "other",
 * represents requests without a valid command
 * @param refusals error replies, by reason, including those repeated for redelivered
 * requests
 */
public record StoreStatistics(long keys, long maxKeys, long bytes, long maxBytes, long watchedKeys, long replies,
		long replyBytes, long maxReplyBytes, long evictedReplies, long requests, long invalidRequests,
		long expiredRequests, long repeatedRequests, long refusedRequests, int connections,
		Map<String, Long> requestsByCommand, Map<ErrorReason, Long> refusals) {
}
