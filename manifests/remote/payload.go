package remote

import (
	"context"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/smithy-go/middleware"
)

// unsigned says in a request's signature that the body is vouched for by its checksum header, which is signed.
const unsigned = "UNSIGNED-PAYLOAD"

type payloadKey struct{}

// withPayload says what the signature states of a request's body, its sha256 in hex or unsigned, so that signing does not read it.
func withPayload(ctx context.Context, hash string) context.Context {
	return context.WithValue(ctx, payloadKey{}, hash)
}

// knownPayload hands the hash of withPayload to the signer.
func knownPayload(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("hdsegKnownPayload", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		if hash, ok := ctx.Value(payloadKey{}).(string); ok {
			ctx = v4.SetPayloadHash(ctx, hash)
		}
		return next.HandleInitialize(ctx, in)
	}), middleware.Before)
}
