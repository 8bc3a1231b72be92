package io.statestore.cluster.transport;

import java.util.Arrays;

import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.PingRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.ReadIndexResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowResponse;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Empty;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Requests that nodes send each other, with their responses. Other requests are not
 * possible. In particular, JRaft's command-line requests, which change the members
 * without a login, do not have a code.
 */
enum MessageType {

	PING(1, PingRequest.getDefaultInstance(), ErrorResponse.getDefaultInstance()),

	REQUEST_VOTE(2, RequestVoteRequest.getDefaultInstance(), RequestVoteResponse.getDefaultInstance()),

	APPEND_ENTRIES(3, AppendEntriesRequest.getDefaultInstance(), AppendEntriesResponse.getDefaultInstance()),

	INSTALL_SNAPSHOT(4, InstallSnapshotRequest.getDefaultInstance(), InstallSnapshotResponse.getDefaultInstance()),

	GET_FILE(5, GetFileRequest.getDefaultInstance(), GetFileResponse.getDefaultInstance()),

	TIMEOUT_NOW(6, TimeoutNowRequest.getDefaultInstance(), TimeoutNowResponse.getDefaultInstance()),

	READ_INDEX(7, ReadIndexRequest.getDefaultInstance(), ReadIndexResponse.getDefaultInstance()),

	/** Asks for the state of a node, which need not be a member. */
	STATUS(8, Empty.getDefaultInstance(), BytesValue.getDefaultInstance());

	private static final MessageType[] VALUES = values();

	private final int code;

	private final Message request;

	private final Message response;

	MessageType(int code, Message request, Message response) {
		this.code = code;
		this.request = request;
		this.response = response;
	}

	int code() {
		return this.code;
	}

	/** Returns the type with the given code, or {@code null} if the code is unknown. */
	static @Nullable MessageType of(int code) {
		return (code >= 1 && code <= VALUES.length) ? VALUES[code - 1] : null;
	}

	/**
	 * Returns the type of a request.
	 * @throws IllegalArgumentException if nodes do not send such requests
	 */
	static MessageType ofRequest(Object request) {
		return ofRequest(request.getClass().getName());
	}

	static MessageType ofRequest(String className) {
		return Arrays.stream(VALUES)
			.filter((type) -> type.request.getClass().getName().equals(className))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("Nodes do not send requests of " + className));
	}

	/** Returns whether an object is a response to this request, other than an error. */
	boolean isResponse(Object response) {
		return this.response.getClass() == response.getClass();
	}

	Message parseRequest(ByteBuf body) throws InvalidProtocolBufferException {
		return parse(this.request, body);
	}

	Message parseResponse(ByteBuf body) throws InvalidProtocolBufferException {
		return parse(this.response, body);
	}

	static ErrorResponse parseError(ByteBuf body) throws InvalidProtocolBufferException {
		return (ErrorResponse) parse(ErrorResponse.getDefaultInstance(), body);
	}

	private static Message parse(Message prototype, ByteBuf body) throws InvalidProtocolBufferException {
		// Parsing copies the bytes, because the message outlives the buffer.
		return prototype.getParserForType().parseFrom(body.nioBuffer());
	}

}
