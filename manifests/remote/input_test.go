package remote

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

func createInput(b *Bucket, path string) *s3.CreateMultipartUploadInput {
	return &s3.CreateMultipartUploadInput{Bucket: aws.String(b.name), Key: b.key(path)}
}
