package io.statestore.broker.server;

import java.util.Map;

import io.statestore.protocol.ErrorReason;

/**
 * The content of a state store at one moment, and what has happened to its requests since
 * the start. The numbers are read without stopping the store, so that those of requests
 * in progress may differ by a few.
 *
 * @param keys number of keys
 * @param maxKeys maximum number of keys
 * @param bytes size of all keys and values
 * @param maxBytes maximum size of all keys and values
 * @param watchedKeys number of watched keys, each counted once
 * @param replies number of remembered replies
 * @param replyBytes estimated memory of remembered replies
 * @param maxReplyBytes maximum memory of remembered replies
 * @param evictedReplies replies removed before their time because that memory was full
 * @param requests requests received, including those counted below
 * @param invalidRequests requests without effect because they could not be answered
 * @param expiredRequests requests without effect because their message expiry had passed
 * @param repeatedRequests requests received again, answered with the remembered reply
 * @param refusedRequests requests refused with "the quota has been exceeded", and watches
 * not resumed because there is no memory for them
 * @param connections current number of connected clients
 * @param requestsByCommand requests received, for each command. The last one, "other",
 * stands for requests without a valid command
 * @param refusals error replies, for each reason. Includes those repeated for requests
 * that were received again
 */
public record StoreStatistics(long keys, long maxKeys, long bytes, long maxBytes, long watchedKeys, long replies,
		long replyBytes, long maxReplyBytes, long evictedReplies, long requests, long invalidRequests,
		long expiredRequests, long repeatedRequests, long refusedRequests, int connections,
		Map<String, Long> requestsByCommand, Map<ErrorReason, Long> refusals) {
}
